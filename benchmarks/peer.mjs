// boardgame.io for `make bench-server`: its server with a game that does next to nothing, and players for it.
//
//   node peer.mjs serve MODULES PORT [FOLDER]          in memory, or with its FlatFile storage in the folder
//   node peer.mjs play MODULES PORT MATCHES SECONDS    prints what it measured as a line of JSON
//
// MODULES is a folder where npm has installed boardgame.io, and node-persist for its storage.

import { createRequire } from 'node:module';
import path from 'node:path';

const HOST = '127.0.0.1';
const WARM = 2;
const [what, modules, port, ...more] = process.argv.slice(2);
const require = createRequire(path.join(modules, 'here.js'));

const game = {
  name: 'count',
  setup: () => ({ count: 0 }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: { add: ({ G }) => { G.count += 1; } },
};

async function serve(folder) {
  const { Server, FlatFile } = require('boardgame.io/server');
  const db = folder ? new FlatFile({ dir: folder }) : undefined;
  const server = Server({ games: [game], origins: [`http://${HOST}:${port}`], ...(db && { db }) });
  await server.run({ port: { port: Number(port), host: HOST } });
  console.log('open');
}

// A match: two connections, and one move at a time. It is done when both players have the new state.
class Match {
  constructor(number, load) {
    this.id = `match${number}`;
    this.load = load;
    this.missing = 0;
  }

  async open() {
    const { io } = require('socket.io-client');
    this.sockets = [];
    for (const player of ['0', '1']) {
      const socket = io(`http://${HOST}:${port}/count`, { transports: ['websocket'], forceNew: true });
      this.sockets.push(socket);
      const synced = new Promise((resolve) => socket.on('sync', (_, { state }) => resolve(state)));
      socket.on('connect', () => socket.emit('sync', this.id, player, undefined, 2));
      this.state = await synced;
      socket.on('update', (_, state) => this.updated(player, state));
    }
  }

  move() {
    if (this.load.over) return;
    this.mover = this.state.ctx.currentPlayer;
    this.missing = 2;
    this.sent = performance.now();
    const payload = { type: 'add', args: [], playerID: this.mover };
    this.sockets[this.mover].emit('update', { type: 'MAKE_MOVE', payload }, this.state._stateID, this.id, this.mover);
  }

  updated(player, state) {
    if (player !== this.mover) this.load.times.push(performance.now() - this.sent);
    this.state = state;
    this.missing -= 1;
    if (this.missing === 0) {
      this.load.moves += 1;
      this.move();
    }
  }
}

async function play(number, seconds) {
  const load = { moves: 0, times: [], over: false };
  const matches = Array.from({ length: number }, (_, i) => new Match(i, load));
  for (const match of matches) await match.open();
  const pause = (time) => new Promise((resolve) => setTimeout(resolve, 1000 * time));
  for (const match of matches) match.move();
  await pause(WARM);
  load.moves = 0;
  load.times = [];
  const began = performance.now();
  const own = process.cpuUsage();
  await pause(seconds);
  const took = performance.now() - began;
  const { user, system } = process.cpuUsage(own);
  load.over = true;
  const times = load.times.sort((a, b) => a - b);
  const at = (share) => times[Math.floor(times.length * share)];
  console.log(JSON.stringify({
    moves: load.moves / (took / 1000), p50: at(0.5), p99: at(0.99), load: (user + system) / 1000 / took,
  }));
  process.exit(0);
}

if (what === 'serve') await serve(more[0]);
else await play(Number(more[0]), Number(more[1]));
