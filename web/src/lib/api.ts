// What the service is asked and what it answers, over HTTP and over the WebSocket.
// Made by web/generate_types.py from the models in src/aachen/server. Do not edit it: run `make types`.

export interface AccountFacts {
  start: number;
  luck: number;
  own: number;
  others: number;
  second_thoughts: number;
  end: number;
}

/** The message with this id was carried out, and is on disk. */
export interface Ack {
  type: "ack";
  id: string;
}

export interface Act {
  /** the client's own name for the message; the answer carries it */
  id?: string;
  table: string;
  type: "act";
  /** the number of the question that is answered, from `questions` */
  question: number;
  /** an action in notation */
  action: string;
}

export interface AnalysisFacts {
  chances: number[];
  thoughts: ThoughtFacts[];
  positions: number;
  seconds: number;
}

export interface AnswerTakeback {
  /** the client's own name for the message; the answer carries it */
  id?: string;
  table: string;
  type: "answer-takeback";
  grant: boolean;
}

/** Asks everybody to go back to where so many steps had been played. */
export interface AskTakeback {
  /** the client's own name for the message; the answer carries it */
  id?: string;
  table: string;
  type: "ask-takeback";
  step: number;
}

/** The table as it was after so many steps. */
export interface AtStep {
  step: number;
  steps: number;
  position: string;
  board: Record<string, unknown>;
  action: string;
  seat: number | null;
}

export interface AttemptFacts {
  solved: boolean;
  goes_on: boolean;
  problem: Problem | null;
}

/** The server stops; connect again in a moment. */
export interface Bye {
  type: "bye";
}

/** A marker (by clan) or a region's majority (by tile) that changes hands. */
export interface ChangeFacts {
  what: number;
  before: number | null;
  after: number | null;
}

/** What is given takes the place of the old value, the rest stays. */
export interface Changes {
  auto_confirm?: boolean;
  email?: string | null;
  webhook?: string | null;
  notices?: Channels;
  table_notices?: Record<string, boolean>;
  muted?: string[];
}

/** On which ways a player wants to hear of a turn; on those with an address it can be done. */
export interface Channels {
  browser: boolean;
  webhook: boolean;
  email: boolean;
}

export interface ChatMessage {
  type: "chat";
  table: string;
  id: number;
  player: string;
  name: string;
  partners: boolean;
  text: string;
  at: number;
}

export interface CheckedPosition {
  position: string;
  board: Record<string, unknown>;
  is_over: boolean;
  actors: number[];
  legal: string[];
}

export interface Clock {
  left: number;
  deadline: number | null;
}

/** Takes the seat back from the bot that played on. */
export interface ComeBack {
  /** the client's own name for the message; the answer carries it */
  id?: string;
  table: string;
  type: "come-back";
}

/** The last word at the end of a turn: throw the dice, or end the game. */
export interface Confirm {
  /** the client's own name for the message; the answer carries it */
  id?: string;
  table: string;
  type: "confirm";
  /** the number of the question that is answered, from `questions` */
  question: number;
}

export interface Draft {
  /** a position in notation */
  position: string;
  actions?: string[];
}

/** The message with this id was not carried out. The table's present state follows where there is one. */
export interface ErrorMessage {
  type: "error";
  id: string;
  error: Problem;
}

/** Something that happened, to be worded by the page; what codes and facts there are is the game's affair. */
export interface EventFacts {
  code: string;
  params: Record<string, unknown>;
}

export interface Fork {
  step: number;
  table: NewTable;
}

/** What goes over the WebSocket from the client. */
export type FromClient =
  | Watch
  | Unwatch
  | Act
  | Confirm
  | Undo
  | AskTakeback
  | AnswerTakeback
  | ComeBack
  | StandIn
  | Say
  | Ping;

/** What goes over the WebSocket from the server. */
export type FromServer =
  | StateMessage
  | ChatMessage
  | Ack
  | ErrorMessage
  | YourTurn
  | Rematch
  | Bye
  | Pong;

/** A player at one game. Rating, games and wins are of rated tables, the rest of all finished ones of late. */
export interface GameProfile {
  game: string;
  rating: number | null;
  games: number;
  wins: number;
  by_players: Record<string, Tally>;
  by_reason: Record<string, Tally>;
}

export interface Guest {
  name: string;
}

export interface HttpAct {
  /** the number of the question that is answered, from `questions` */
  question: number;
  /** an action in notation */
  action: string;
  /** the client's own name for the message; the answer carries it */
  id?: string;
}

export interface HttpAnswer {
  grant: boolean;
}

export interface HttpConfirm {
  /** the number of the question that is answered, from `questions` */
  question: number;
  /** the client's own name for the message; the answer carries it */
  id?: string;
}

export interface HttpSay {
  text: string;
  partners?: boolean;
}

export interface HttpStep {
  step: number;
}

/** A table in a list. */
export interface Listed {
  id: string;
  game: string;
  title: string;
  options: Record<string, unknown>;
  pace: string;
  status: string;
  result: string;
  opened: number;
  changed: number;
  is_public: boolean;
  forked_from: string;
  seats: ListedSeat[];
}

export interface ListedSeat {
  seat: number;
  name: string;
  player: string | null;
  bot: string;
  is_asked: boolean;
}

export interface Login {
  name: string;
  password: string;
}

/** The player who is asking. */
export interface Me {
  id: string;
  name: string;
  is_guest: boolean;
  email: string | null;
  settings: Preferences;
}

export interface MistakeFacts {
  step: number;
  loss: number;
  line: string[];
}

export interface NewAccount {
  name: string;
  password: string;
  email?: string | null;
}

export interface NewPace {
  kind?: Pace;
  seconds?: number;
  increment?: number;
  days?: number;
}

export interface NewSeat {
  kind: SeatKind;
  /** of a bot */
  level?: string;
}

/** A table to be opened. With it comes the hash of its dice; then people sit down, each with a nonce. */
export interface NewTable {
  game?: string;
  options?: Record<string, string | number | boolean>;
  seats: NewSeat[];
  pace?: NewPace;
  is_public?: boolean;
  rated?: boolean;
  help?: boolean;
  title?: string;
}

export interface NewToken {
  label: string;
}

export interface Opened {
  id: string;
  hash: string;
  invites: Record<string, string>;
}

export interface OutcomeFacts {
  winners: number[];
  reason: string;
  scores: number[];
}

export type Pace = "untimed" | "live" | "days";

export interface PasswordChange {
  old: string;
  new: string;
}

export interface Ping {
  type: "ping";
  /** the client's own name for the message; the answer carries it */
  id?: string;
}

export interface Pong {
  type: "pong";
  id: string;
}

export interface Position {
  /** a position in notation */
  position: string;
}

/** A player's settings, as they are stored. */
export interface Preferences {
  auto_confirm: boolean;
  webhook: string | null;
  notices: Channels;
  table_notices: Record<string, boolean>;
  muted: string[];
}

/** What a draft of a turn would do. */
export interface PreviewFacts {
  position: string;
  board: Record<string, unknown>;
  legal: string[];
  markers: ChangeFacts[];
  leaders: ChangeFacts[];
  castles: number[];
  merged: number[];
  winners: number[];
  reason: string;
  reach: number;
  forecast: RegionFacts[];
}

/** An error: a code and its parameters for programs, and an English sentence. */
export interface Problem {
  code: string;
  params: Record<string, unknown>;
  text: string;
}

/** What anybody may know of a player. */
export interface Profile {
  id: string;
  name: string;
  is_guest: boolean;
  since: number;
  games: GameProfile[];
  /** the last finished ones */
  tables: TableLine[];
}

export interface PuzzleFacts {
  number: number;
  position: string;
  seat: number;
  players: number;
}

export interface PuzzleTry {
  actions?: string[];
}

/** What would happen if the Emperor stopped in a region. */
export interface RegionFacts {
  tile: number;
  counts: number[];
  holder: number | null;
  majority: number | null;
  effect: string;
  castles: number;
  merges: number[];
  steps: number;
  ends_game: boolean;
}

/** Somebody has opened a rematch; seats are kept for those who played. */
export interface Rematch {
  type: "rematch";
  table: string;
  new: string;
}

/** A whole game judged; the parts of each side's account add up. */
export interface ReviewFacts {
  steps: StepReview[];
  mistakes: MistakeFacts[];
  accounts: AccountFacts[];
  is_over: boolean;
}

export interface Say {
  /** the client's own name for the message; the answer carries it */
  id?: string;
  table: string;
  type: "say";
  text: string;
  partners?: boolean;
}

export interface SeatFacts {
  kind: string;
  name: string;
  player: string;
  level: string;
  away: boolean;
  left: boolean;
  here: boolean;
  side: number;
}

export type SeatKind = "open" | "owner" | "invited" | "bot";

/** A place where a player is in. */
export interface Session {
  id: string;
  kind: "cookie" | "token";
  label: string;
  created: number;
  is_this: boolean;
}

export interface Sit {
  seat: number;
  nonce?: string | null;
  invite?: string;
}

/** Lets a bot play on for somebody who has been away for some minutes. */
export interface StandIn {
  /** the client's own name for the message; the answer carries it */
  id?: string;
  table: string;
  type: "stand-in";
  seat: number;
}

/** A line of the leaderboard. */
export interface Standing {
  /** a person's id, or `bot:` and a level */
  player: string;
  name: string;
  is_bot: boolean;
  /** 1000 + 30 (mu - 3 sigma) */
  rating: number;
  mu: number;
  sigma: number;
  games: number;
  /** a draw counts as a part of one */
  wins: number;
}

/** All that a viewer may know of a table. `steps` replace those from number `since` on. */
export interface StateMessage {
  type: "state";
  table: TableFacts;
  status: "open" | "playing" | "over" | "abandoned";
  you: number | null;
  seats: SeatFacts[];
  since: number;
  steps: StepFacts[];
  board: Record<string, unknown>;
  position: string;
  actors: number[];
  questions: number[];
  legal: string[];
  confirming: number | null;
  undo: number[];
  takeback: TakebackFacts | null;
  clocks: Clock[];
  now: number;
  outcome: OutcomeFacts | null;
  seed: string;
  restored: boolean;
}

/** A step of the game, as the viewer may know it. */
export interface StepFacts {
  seat: number | null;
  action: string;
  at: number;
  events: EventFacts[];
}

export interface StepReview {
  number: number;
  round: number;
  seat: number | null;
  action: string;
  is_chance: boolean;
  before: number[];
  after: number[];
  loss: number;
  best: string;
}

/** What never changes about a table. */
export interface TableFacts {
  id: string;
  game: string;
  options: Record<string, unknown>;
  title: string;
  owner: string;
  is_public: boolean;
  rated: boolean;
  help: boolean;
  pace: string;
  seconds: number;
  increment: number;
  days: number;
  forked_from: string;
  rematch_of: string;
  opened: number;
  hash: string;
}

/** A table of a player. */
export interface TableLine {
  id: string;
  game: string;
  status: string;
  /** of the last change, in seconds since 1970; of a finished table, of its end */
  date: number;
  result: string;
  players: number;
  /** who sits on other sides, by name; of a bot its level */
  opponents: string[];
  /** whether the player's side is a winner; null without a result */
  won: boolean | null;
  is_draw: boolean;
}

export interface TablePage {
  tables: TableLine[];
  /** `before` of the next page; null on the last one */
  next: string | null;
}

export interface TakebackFacts {
  seat: number;
  step: number;
  granted: number[];
}

export interface Tally {
  games: number;
  wins: number;
}

export interface ThoughtFacts {
  action: string;
  chance: number;
  error: number;
  weight: number;
  line: string[];
}

/** What a seat could do to a region. */
export interface ThreatFacts {
  seat: number;
  tile: number;
  now: boolean;
  effect: string;
  castles: number;
  turn: string[];
  needed: number;
  ends_game: boolean;
  later: number;
}

export interface Token {
  /** shown this once */
  token: string;
  id: string;
}

export interface Undo {
  /** the client's own name for the message; the answer carries it */
  id?: string;
  table: string;
  type: "undo";
}

export interface Unwatch {
  /** the client's own name for the message; the answer carries it */
  id?: string;
  table: string;
  type: "unwatch";
}

/** From now on the table's state is sent, at once and whenever it changes. */
export interface Watch {
  /** the client's own name for the message; the answer carries it */
  id?: string;
  table: string;
  type: "watch";
}

/** A notice for somebody who is in, but not at this table. */
export interface YourTurn {
  type: "your-turn";
  table: string;
  title: string;
}
