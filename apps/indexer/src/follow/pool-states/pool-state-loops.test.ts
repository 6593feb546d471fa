import { expect, test } from 'vitest'
import { quiet as log } from '../../../test/scene/made-values.ts'
import { readPools } from './pool-state-loops.ts'

/** Returns when each read began (in seconds) during ten minutes of a fake clock. */
async function beginnings(hasTopUnread: (now: number) => boolean): Promise<number[]> {
  const ended = new AbortController()
  const begun: number[] = []
  let now = 0
  const sleep = async (ms: number) => {
    now += ms
    if (now > 600_000) ended.abort()
  }
  const read = async () => {
    begun.push(now)
    const done = now + 1_000
    await Promise.resolve()
    if (now < done) await sleep(done - now)
    return true
  }
  const pools = { read, hasTopUnread: () => hasTopUnread(now), onWork: () => () => undefined }
  await readPools({ pools, log, clock: { sleep }, now: () => now }, ended.signal)
  return begun
}

test('the most traded pools are read without a pause, two snapshots at a time', async () => {
  const begun = await beginnings(() => true)
  expect(begun.slice(0, 4)).toEqual([0, 0, 1_000, 1_000])
  expect(begun.length).toBe(2 * 601)
})

test('the others are read in a third of the time, one snapshot at a time', async () => {
  const begun = await beginnings(() => false)
  expect(begun.slice(0, 3)).toEqual([0, 3_000, 6_000])
  expect(begun.length).toBe(201)
})

test('a much traded pool interrupts the pause', async () => {
  const begun = await beginnings((now) => now === 2_000)
  expect(begun.slice(0, 4)).toEqual([0, 2_000, 2_000, 5_000])
})

test('while nothing can be read, it checks again', async () => {
  const ended = new AbortController()
  let looks = 0
  const sleep = async () => (++looks === 5 ? ended.abort() : undefined)
  const pools = { read: async () => false, hasTopUnread: () => false, onWork: () => () => undefined }
  await readPools({ pools, log, clock: { sleep } }, ended.signal)
  expect(looks).toBe(5)
})
