import { EventEmitter } from 'node:events';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { listenForStop } from './stop.ts';

const silent = pino({ level: 'silent' });

test('F012: the first signal drains, the second aborts, and the exit codes tell which', () => {
  const events = new EventEmitter();
  const stop = listenForStop(events, silent);
  events.emit('SIGTERM', 'SIGTERM');
  expect([stop.drain.aborted, stop.abort.aborted, stop.exitCode()]).toEqual([true, false, 0]);
  events.emit('SIGINT', 'SIGINT');
  expect([stop.drain.aborted, stop.abort.aborted, stop.exitCode()]).toEqual([true, true, 130]);
});

test('F012: the first signal during a drain that an operator has asked for forces nothing; the second does', () => {
  const events = new EventEmitter();
  const stop = listenForStop(events, silent);
  stop.request('an operator wants it');
  events.emit('SIGTERM', 'SIGTERM');
  expect([stop.drain.aborted, stop.abort.aborted, stop.exitCode()]).toEqual([true, false, 0]);
  events.emit('SIGTERM', 'SIGTERM');
  expect([stop.abort.aborted, stop.exitCode()]).toEqual([true, 130]);
});

test('F007: a rejection that nobody handles ends nothing; an exception that nobody catches drains and is a failure', () => {
  const events = new EventEmitter();
  const stop = listenForStop(events, silent);
  events.emit('unhandledRejection', new Error('forgotten'));
  expect([stop.drain.aborted, stop.exitCode()]).toEqual([false, 0]);
  events.emit('uncaughtException', new Error('bug'));
  expect([stop.drain.aborted, stop.abort.aborted, stop.exitCode()]).toEqual([true, false, 1]);
  events.emit('SIGTERM', 'SIGTERM');
  expect([stop.abort.aborted, stop.exitCode()]).toEqual([true, 1]);
});

test('F006 F012: a process whose parent is gone drains, also when that happened before anybody listened; one without a parent does not', () => {
  const events = new EventEmitter();
  const stop = listenForStop(events, silent);
  expect(stop.drain.aborted).toBe(false);
  events.emit('disconnect');
  expect(stop.drain.aborted).toBe(true);
  const late = Object.assign(new EventEmitter(), { connected: false });
  expect(listenForStop(late, silent).drain.aborted).toBe(true);
  const early = Object.assign(new EventEmitter(), { connected: true });
  expect(listenForStop(early, silent).drain.aborted).toBe(false);
});

test('F012: no listener is left behind', () => {
  const events = new EventEmitter();
  listenForStop(events, silent).close();
  expect(events.eventNames()).toEqual([]);
});
