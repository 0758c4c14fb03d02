/* A yardstick for the compiled rules: Carolus Magnus for random play, in plain C.
 *
 * The rules are told in docs/rules/carolus.md; C1 to C26 below are its paragraphs. From the same position and the
 * same seed this program makes the same choices as aachen.core.playout, and so it reaches the same final position,
 * byte for byte. bench.py checks that before it measures anything.
 *
 *     cc -O3 -march=native -std=c11 -shared -fPIC -o yardstick.so yardstick.c
 */

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    TILES = 15,
    CLANS = 5,
    SEATS = 4,
    SIDES = 3,
    DISCS = 5,
    ALL_DISCS = (1 << DISCS) - 1,
    CUBES_A_CLAN = 40,
    DEALT_A_CLAN = 3,
    LEAST_REGIONS = 4,
    CROWN = 5, /* a die's sixth face */
    FACES = 6,
    NOBODY = 255,
    NO_SEAT = -1,
    MOST_ACTIONS = 512,
    MOST_DICE = 4,
    MOST_THROWS = 6 + 21 + 56 + 126,
};

enum phase {
    PHASE_DEAL,
    PHASE_EMPEROR,
    PHASE_LOT,
    PHASE_FILL,
    PHASE_CROWN,
    PHASE_DISC,
    PHASE_JOKER,
    PHASE_CUBE,
    PHASE_MOVE,
    PHASE_CHOOSE,
    PHASE_THROW,
    PHASE_OVER,
};

/* Action codes: decisions first, then chance. */
enum code {
    CODE_DISC = 0,
    CODE_MOVE = CODE_DISC + DISCS,
    CODE_NAME = CODE_MOVE + DISCS,
    CODE_THROW_ALL = CODE_NAME + CLANS,
    CODE_CUBE = CODE_THROW_ALL + 1, /* + 16 x clan + tile, or COURT instead of a tile */
    COURT = TILES,
    CODE_DEAL = CODE_CUBE + 16 * CLANS,
    CODE_EMPEROR = CODE_DEAL + CLANS,
    CODE_FIRST = CODE_EMPEROR + TILES,
    CODE_THROW = CODE_FIRST + SEATS,
};

#pragma pack(push, 1)
typedef struct {
    uint8_t players, choose_one, deferred, silent;
    uint16_t round_limit, round_number;
    uint8_t phase, turn, due;
    uint8_t order[SEATS];
    uint8_t emperor;
    uint8_t tiles[TILES];
    uint8_t cubes[TILES][CLANS];
    uint8_t castles[TILES];
    uint8_t holder[TILES];
    uint8_t marker[CLANS];
    uint8_t supply[CLANS];
    uint8_t court[SEATS][CLANS];
    uint8_t reserve[SEATS][CLANS];
    uint8_t jokers[SEATS];
    uint8_t unused[SEATS];
    uint8_t disc[SEATS];
    uint8_t stock[SIDES];
} position;
#pragma pack(pop)

_Static_assert(sizeof(position) == 201, "the layout of the NumPy record");

/* The throws of 1 to 4 dice (C4): faces in rising order, and in how many ways the dice can fall so. */

static uint8_t throw_faces[MOST_THROWS][FACES];
static int32_t throw_ways[MOST_THROWS];
static int first_throw[MOST_DICE + 2];

static void list_dice(int *n, uint8_t faces[FACES], int from, int left, int ways)
{
    if (left == 0) {
        memcpy(throw_faces[*n], faces, FACES);
        throw_ways[(*n)++] = ways;
        return;
    }
    for (int face = from; face < FACES; face++) {
        faces[face]++;
        list_dice(n, faces, face, left - 1, ways / faces[face]);
        faces[face]--;
    }
}

static void prepare_throws(void)
{
    int n = 0, factorial = 1;
    for (int dice = 1; dice <= MOST_DICE; dice++) {
        uint8_t faces[FACES] = {0};
        factorial *= dice;
        first_throw[dice] = n;
        list_dice(&n, faces, 0, dice, factorial);
    }
    first_throw[MOST_DICE + 1] = n;
}

/* The table */

static inline int sides(const position *s) { return s->players == 3 ? 3 : 2; }
static inline int side_of(const position *s, int seat) { return s->players == 4 ? seat & 1 : seat; }
static inline int full_reserve(const position *s) { return s->players == 3 ? 9 : 7; }
static inline int cubes_a_turn(const position *s) { return s->players == 3 ? 4 : 3; }
static inline int seat_at_turn(const position *s) { return s->order[s->turn]; }

static inline int cubes_in_reserve(const position *s, int seat)
{
    int total = 0;
    for (int clan = 0; clan < CLANS; clan++)
        total += s->reserve[seat][clan];
    return total;
}

static inline int region_after(const position *s, int tile)
{
    int after = tile + s->tiles[tile];
    return after >= TILES ? after - TILES : after;
}

static inline int region_before(const position *s, int tile)
{
    do
        tile = tile > 0 ? tile - 1 : TILES - 1;
    while (s->tiles[tile] == 0);
    return tile;
}

static inline int count_regions(const position *s)
{
    int regions = 0;
    for (int tile = 0; tile < TILES; tile++)
        regions += s->tiles[tile] > 0;
    return regions;
}

/* The supply: C16, C18 to C20 */

static inline int returnable(const position *s, int clan)
{
    int least = s->court[0][clan];
    for (int seat = 1; seat < s->players; seat++)
        if (s->court[seat][clan] < least)
            least = s->court[seat][clan];
    return least;
}

static inline bool takeable(const position *s, int clan)
{
    return s->supply[clan] > 0 || returnable(s, clan) > 0;
}

static inline bool any_takeable(const position *s)
{
    for (int clan = 0; clan < CLANS; clan++)
        if (takeable(s, clan))
            return true;
    return false;
}

static inline int list_names(const position *s, int16_t *restrict out)
{
    int n = 0;
    for (int clan = 0; clan < CLANS; clan++)
        if (takeable(s, clan))
            out[n++] = CODE_NAME + clan;
    return n;
}

static void return_from_courts(position *s, int clan)
{
    int number = returnable(s, clan);
    for (int seat = 0; seat < s->players; seat++)
        s->court[seat][clan] -= number;
    s->supply[clan] += number * s->players;
}

static inline bool take_cube(position *s, int seat, int clan)
{
    if (s->supply[clan] == 0)
        return_from_courts(s, clan);
    if (s->supply[clan] == 0)
        return false;
    s->supply[clan]--;
    s->reserve[seat][clan]++;
    return true;
}

/* Jokers, cubes and control: C8, C9, C20, C25 */

static inline void begin_cubes(position *s, int seat)
{
    int most = cubes_a_turn(s), have = cubes_in_reserve(s, seat);
    s->due = have < most ? have : most;
    s->phase = s->due > 0 ? PHASE_CUBE : PHASE_MOVE;
}

static inline void begin_turn(position *s)
{
    int seat = seat_at_turn(s);
    s->due = 0;
    if (s->jokers[seat] > 0 && any_takeable(s)) {
        s->phase = PHASE_JOKER;
    } else {
        s->jokers[seat] = 0;
        begin_cubes(s, seat);
    }
}

static inline void name_joker(position *s, int seat, int clan)
{
    s->jokers[seat]--;
    take_cube(s, seat, clan);
    begin_turn(s);
}

static inline int list_cubes(const position *s, int seat, int16_t *restrict out)
{
    int16_t targets[TILES + 1];
    int regions = 0, n = 0;
    for (int tile = 0; tile < TILES; tile++) {
        targets[regions] = CODE_CUBE + tile;
        regions += s->tiles[tile] > 0;
    }
    targets[regions++] = CODE_CUBE + COURT;
    for (int clan = 0; clan < CLANS; clan++)
        if (s->reserve[seat][clan] > 0)
            for (int i = 0; i < regions; i++)
                out[n++] = targets[i] + 16 * clan;
    return n;
}

static inline void take_control(position *s, int seat, int clan)
{
    for (int other = 0; other < s->players; other++)
        if (other != seat && s->court[other][clan] >= s->court[seat][clan])
            return;
    s->marker[clan] = seat;
}

static inline void play_cube(position *s, int seat, int clan, int target)
{
    s->reserve[seat][clan]--;
    if (target == COURT) {
        s->court[seat][clan]++;
        take_control(s, seat, clan);
    } else {
        s->cubes[target][clan]++;
    }
    if (--s->due == 0)
        s->phase = PHASE_MOVE;
}

/* Rounds, discs and the order of play: C5 to C7, C21 */

static inline bool any_cube_left(const position *s)
{
    for (int seat = 0; seat < s->players; seat++)
        if (s->jokers[seat] > 0 || cubes_in_reserve(s, seat) > 0)
            return true;
    return false;
}

static inline void begin_round(position *s)
{
    s->turn = 0;
    s->due = 0;
    s->phase = any_cube_left(s) ? PHASE_DISC : PHASE_OVER;
}

static inline int playable_discs(const position *s, int seat)
{
    int taken = 0;
    for (int other = 0; other < s->players; other++)
        if (s->disc[other] > 0)
            taken |= 1 << (s->disc[other] - 1);
    int fresh = s->unused[seat] & ~taken;
    return fresh ? fresh : s->unused[seat];
}

static inline int list_discs(const position *s, int seat, int16_t *restrict out)
{
    int discs = playable_discs(s, seat), n = 0;
    for (int i = 0; i < DISCS; i++) {
        out[n] = CODE_DISC + i;
        n += (discs >> i) & 1;
    }
    return n;
}

static inline void sort_by_disc(position *s)
{
    for (int i = 1; i < s->players; i++) {
        int seat = s->order[i], place = i;
        for (; place > 0 && s->disc[s->order[place - 1]] > s->disc[seat]; place--)
            s->order[place] = s->order[place - 1];
        s->order[place] = seat;
    }
}

static inline void play_disc(position *s, int seat, int number)
{
    s->disc[seat] = number;
    s->unused[seat] &= ~(1 << (number - 1));
    if (++s->turn == s->players) {
        sort_by_disc(s);
        s->turn = 0;
        begin_turn(s);
    }
}

static inline void end_round(position *s)
{
    bool all_played = s->round_number % DISCS == 0;
    for (int seat = 0; seat < s->players; seat++) {
        s->disc[seat] = 0;
        if (all_played)
            s->unused[seat] = ALL_DISCS;
    }
    if (s->round_number == s->round_limit) {
        s->turn = 0;
        s->due = 0;
        s->phase = PHASE_OVER;
    } else {
        s->round_number++;
        begin_round(s);
    }
}

static inline void end_turn(position *s)
{
    if (s->turn + 1 < s->players) {
        s->turn++;
        begin_turn(s);
    } else {
        end_round(s);
    }
}

/* The set-up: C1 to C4 */

static inline int still_to_deal(const position *s, int clan)
{
    return s->supply[clan] - (CUBES_A_CLAN - DEALT_A_CLAN);
}

static inline void deal_cube(position *s, int clan)
{
    s->cubes[TILES - s->due][clan]++;
    s->supply[clan]--;
    if (--s->due == 0)
        s->phase = PHASE_EMPEROR;
}

static inline void begin_fill(position *s)
{
    int seat = seat_at_turn(s);
    int missing = full_reserve(s) - cubes_in_reserve(s, seat) - s->jokers[seat];
    if (missing > 0) {
        s->due = missing < 3 ? missing : 3;
        s->phase = PHASE_FILL;
    } else if (s->turn + 1 < s->players) {
        s->turn++;
        s->due = 3;
        s->phase = PHASE_FILL;
    } else {
        s->round_number = 1;
        begin_round(s);
    }
}

static inline void draw_lot(position *s, int first)
{
    for (int place = 0; place < s->players; place++)
        s->order[place] = (first + place) % s->players;
    s->turn = 0;
    begin_fill(s);
}

/* Throws of dice: C3, C16, C24, C25 */

static inline void begin_throw(position *s)
{
    if (s->choose_one && any_takeable(s)) {
        s->due = 0;
        s->phase = PHASE_CHOOSE;
    } else {
        s->due = cubes_a_turn(s);
        s->phase = PHASE_THROW;
    }
}

static inline int list_choices(const position *s, int16_t *restrict out)
{
    int n = list_names(s, out);
    out[n] = CODE_THROW_ALL;
    return n + 1;
}

static inline void choose_die(position *s, int seat, int action)
{
    s->due = cubes_a_turn(s);
    if (action != CODE_THROW_ALL) {
        take_cube(s, seat, action - CODE_NAME);
        s->due--;
    }
    s->phase = PHASE_THROW;
}

static inline int list_throws(const position *s, int16_t *restrict out, int32_t *restrict weights)
{
    int first = first_throw[s->due], count = first_throw[s->due + 1] - first;
    for (int i = 0; i < count; i++) {
        out[i] = CODE_THROW + first + i;
        weights[i] = throw_ways[first + i];
    }
    return count;
}

static inline void serve_crowns(position *s)
{
    if (s->due > 0 && any_takeable(s)) {
        s->phase = PHASE_CROWN;
        return;
    }
    s->due = 0;
    if (s->round_number == 0)
        begin_fill(s);
    else
        end_turn(s);
}

static inline void serve_throw(position *s, int thrown)
{
    const uint8_t *faces = throw_faces[thrown];
    int seat = seat_at_turn(s), crowns = faces[CROWN];
    for (int clan = 0; clan < CLANS; clan++)
        for (int i = 0; i < faces[clan]; i++)
            if (!take_cube(s, seat, clan))
                crowns++;
    if (s->deferred) {
        s->jokers[seat] += crowns;
        crowns = 0;
    }
    s->due = crowns;
    serve_crowns(s);
}

static inline void name_crown(position *s, int seat, int clan)
{
    take_cube(s, seat, clan);
    s->due--;
    serve_crowns(s);
}

/* The Emperor, castles and the end: C10 to C15, C22, C23 */

static inline int list_moves(const position *s, int seat, int16_t *restrict out)
{
    int count = s->disc[seat];
    for (int i = 0; i < count; i++)
        out[i] = CODE_MOVE + i;
    return count;
}

static inline int majority(const position *s, int tile)
{
    int counts[SIDES] = {0};
    for (int clan = 0; clan < CLANS; clan++)
        if (s->marker[clan] != NOBODY)
            counts[side_of(s, s->marker[clan])] += s->cubes[tile][clan];
    if (s->holder[tile] != NOBODY)
        counts[s->holder[tile]] += s->castles[tile];
    int most = 0, leader = NOBODY;
    for (int side = 0; side < sides(s); side++) {
        if (counts[side] > most) {
            most = counts[side];
            leader = side;
        } else if (counts[side] == most) {
            leader = NOBODY;
        }
    }
    return leader;
}

static inline void put_up_castles(position *s, int tile, int side)
{
    int number = 1;
    if (s->castles[tile] > 0) {
        number = s->castles[tile];
        s->stock[s->holder[tile]] += number;
    }
    if (number > s->stock[side])
        number = s->stock[side];
    s->stock[side] -= number;
    s->castles[tile] = number;
    s->holder[tile] = side;
}

static void join(position *s, int tile, int after)
{
    s->tiles[tile] += s->tiles[after];
    s->tiles[after] = 0;
    for (int clan = 0; clan < CLANS; clan++) {
        s->cubes[tile][clan] += s->cubes[after][clan];
        s->cubes[after][clan] = 0;
    }
    s->castles[tile] += s->castles[after];
    s->castles[after] = 0;
    s->holder[after] = NOBODY;
    if (s->emperor == after)
        s->emperor = tile;
}

static inline void merge_neighbours(position *s, int tile, int side)
{
    int after = region_after(s, tile);
    if (after != tile && s->holder[after] == side)
        join(s, tile, after);
    int before = region_before(s, tile);
    if (before != tile && s->holder[before] == side)
        join(s, before, tile);
}

static inline void end_game(position *s)
{
    s->due = 0;
    s->phase = PHASE_OVER;
}

static inline void visit(position *s, int tile)
{
    int side = majority(s, tile);
    if (side == NOBODY || side == s->holder[tile])
        return;
    put_up_castles(s, tile, side);
    if (s->stock[side] == 0) {
        end_game(s);
        return;
    }
    merge_neighbours(s, tile, side);
    if (count_regions(s) < LEAST_REGIONS)
        end_game(s);
}

static inline void move_emperor(position *s, int steps)
{
    int tile = s->emperor;
    for (int i = 0; i < steps; i++)
        tile = region_after(s, tile);
    s->emperor = tile;
    visit(s, tile);
    if (s->phase != PHASE_OVER)
        begin_throw(s);
}

/* The doors: who is asked, what they may do, what chance may do, and doing it */

static inline int actors(const position *s)
{
    return PHASE_FILL < s->phase && s->phase < PHASE_THROW ? 1 << seat_at_turn(s) : 0;
}

static inline int legal(const position *s, int seat, int16_t *restrict out)
{
    switch (s->phase) {
    case PHASE_CUBE:
        return list_cubes(s, seat, out);
    case PHASE_MOVE:
        return list_moves(s, seat, out);
    case PHASE_DISC:
        return list_discs(s, seat, out);
    case PHASE_CROWN:
    case PHASE_JOKER:
        return list_names(s, out);
    case PHASE_CHOOSE:
        return list_choices(s, out);
    default:
        return 0;
    }
}

static inline int list_even(int first, int count, int16_t *restrict out, int32_t *restrict weights)
{
    for (int i = 0; i < count; i++) {
        out[i] = first + i;
        weights[i] = 1;
    }
    return count;
}

static inline int list_deals(const position *s, int16_t *restrict out, int32_t *restrict weights)
{
    int n = 0;
    for (int clan = 0; clan < CLANS; clan++) {
        if (still_to_deal(s, clan) > 0) {
            out[n] = CODE_DEAL + clan;
            weights[n++] = still_to_deal(s, clan);
        }
    }
    return n;
}

static inline int chance(const position *s, int16_t *restrict out, int32_t *restrict weights)
{
    switch (s->phase) {
    case PHASE_THROW:
    case PHASE_FILL:
        return list_throws(s, out, weights);
    case PHASE_DEAL:
        return list_deals(s, out, weights);
    case PHASE_EMPEROR:
        return list_even(CODE_EMPEROR, TILES, out, weights);
    case PHASE_LOT:
        return list_even(CODE_FIRST, s->players, out, weights);
    default:
        return 0;
    }
}

static inline void apply(position *s, int seat, int action)
{
    switch (s->phase) {
    case PHASE_CUBE:
        play_cube(s, seat, (action - CODE_CUBE) >> 4, (action - CODE_CUBE) & 15);
        break;
    case PHASE_MOVE:
        move_emperor(s, action - CODE_MOVE + 1);
        break;
    case PHASE_THROW:
    case PHASE_FILL:
        serve_throw(s, action - CODE_THROW);
        break;
    case PHASE_DISC:
        play_disc(s, seat, action - CODE_DISC + 1);
        break;
    case PHASE_CROWN:
        name_crown(s, seat, action - CODE_NAME);
        break;
    case PHASE_JOKER:
        name_joker(s, seat, action - CODE_NAME);
        break;
    case PHASE_CHOOSE:
        choose_die(s, seat, action);
        break;
    case PHASE_DEAL:
        deal_cube(s, action - CODE_DEAL);
        break;
    case PHASE_EMPEROR:
        s->emperor = action - CODE_EMPEROR;
        s->phase = PHASE_LOT;
        break;
    case PHASE_LOT:
        draw_lot(s, action - CODE_FIRST);
        break;
    default:
        break;
    }
}

/* Random play: SplitMix64, and a choice among n as the high half of a product */

static inline uint64_t next_random(uint64_t *rng)
{
    uint64_t z = *rng += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static inline int below(uint64_t *rng, int n)
{
    return (int)((next_random(rng) >> 32) * (uint64_t)n >> 32);
}

static inline int pick(uint64_t *rng, const int32_t *weights, int count)
{
    int total = 0;
    for (int i = 0; i < count; i++)
        total += weights[i];
    int mark = below(rng, total);
    for (int i = 0; i < count; i++) {
        mark -= weights[i];
        if (mark < 0)
            return i;
    }
    return count - 1;
}

static inline int some_seat(uint64_t *rng, unsigned asked)
{
    int number = __builtin_popcount(asked);
    for (int skip = number > 1 ? below(rng, number) : 0; skip > 0; skip--)
        asked &= asked - 1;
    return __builtin_ctz(asked);
}

static int64_t play_out(position *restrict s, uint64_t seed)
{
    int16_t out[MOST_ACTIONS];
    int32_t weights[MOST_ACTIONS];
    uint64_t rng = seed;
    int64_t decisions = 0;
    for (;;) {
        int asked = actors(s);
        if (asked != 0) {
            int seat = some_seat(&rng, asked);
            int count = legal(s, seat, out);
            apply(s, seat, out[below(&rng, count)]);
            decisions++;
        } else {
            int count = chance(s, out, weights);
            if (count == 0)
                return decisions;
            apply(s, NO_SEAT, out[pick(&rng, weights, count)]);
        }
    }
}

int64_t play_out_all(position *positions, const uint64_t *seeds, int64_t n)
{
    int64_t decisions = 0;
    if (first_throw[MOST_DICE + 1] == 0)
        prepare_throws();
    for (int64_t i = 0; i < n; i++)
        decisions += play_out(&positions[i], seeds[i]);
    return decisions;
}
