import { type Address, MINUTE } from '@dexfeed/dex'
import { expect, test } from 'vitest'
import { Denials } from './contract-calls.ts'

const EMITTER: Address = `0x${'e1'.repeat(20)}`
/** More minutes than any denial holds. */
const MOST = 30 * 24 * 60

function openDenials() {
  let now = 0
  const denials = new Denials({ now: () => now })
  const pass = (ms: number) => {
    now += ms
  }
  return { denials, pass }
}

test('a denial by two endpoints is active for a minute, then twice as long each time, up to a week', () => {
  const { denials, pass } = openDenials()
  const holds: number[] = []
  for (let times = 0; times < 16; times++) {
    denials.note(EMITTER, '0x01', true)
    let minutes = 0
    for (; denials.isActive(EMITTER) && minutes < MOST; minutes++) pass(MINUTE)
    holds.push(minutes)
  }
  expect(holds).toEqual([...Array.from({ length: 14 }, (_, i) => 2 ** i), 7 * 24 * 60, 7 * 24 * 60])
})

test('a denial by one endpoint counts when repeated at another block a minute later, not before', () => {
  const { denials, pass } = openDenials()
  denials.note(EMITTER, '0x01', false)
  for (const block of ['0x02', '0x03']) denials.note(EMITTER, block, false)
  expect(denials.isActive(EMITTER)).toBe(false)
  expect(denials.isConfirmed(EMITTER)).toBe(false)
  pass(MINUTE)
  denials.note(EMITTER, '0x01', false)
  expect(denials.isConfirmed(EMITTER)).toBe(false)
  denials.note(EMITTER, '0x04', false)
  expect(denials.isConfirmed(EMITTER)).toBe(true)
  expect(denials.isActive(EMITTER)).toBe(true)
})

test('until a denial is confirmed, the emitter is checked at the next block, then with growing pauses', () => {
  const { denials, pass } = openDenials()
  const SECOND = MINUTE / 60
  const asked: number[] = []
  for (let second = 0; !denials.isConfirmed(EMITTER); second++) {
    if (!denials.isActive(EMITTER)) {
      asked.push(second)
      denials.note(EMITTER, `0x${second}`, false)
    }
    pass(SECOND)
  }
  expect(asked).toEqual([0, 1, 2, 4, 8, 16, 32, 64])
})

test('after a minute, the latest block counts as another block', () => {
  const { denials, pass } = openDenials()
  denials.note(EMITTER, 'latest', false)
  denials.note(EMITTER, 'latest', false)
  expect(denials.isActive(EMITTER)).toBe(false)
  pass(MINUTE)
  denials.note(EMITTER, 'latest', false)
  expect(denials.isActive(EMITTER)).toBe(true)
})
