import { expect, test } from 'vitest'
import { type FixtureCase, readCases, replayCase } from '../../../test/replay-fixture.ts'

const hopsOf = (each: FixtureCase | undefined, change: Partial<FixtureCase>) =>
  each === undefined ? [] : replayCase({ ...each, ...change }).hops

test('tokens that were taken out of a pool of V1 since are those that its event names', () => {
  const [one] = readCases('balancer/fixtures/balancer-v1.json')
  const [isPool, tokens] = one?.known ?? []
  const [{ tokenIn, tokenOut } = {}] = one?.hops ?? []
  if (isPool === undefined || tokens === undefined) throw new Error('no results')
  expect(hopsOf(one, {})[0]?.pool.coins).toEqual([tokenOut, tokenIn])
  expect(hopsOf(one, { known: [isPool, { ...tokens, result: [[tokenOut]] }] })).toMatchObject([{ tokenIn, tokenOut }])
  expect(hopsOf(one, { known: [isPool] })).toMatchObject([{ tokenIn, tokenOut }])
})

test('the event of the vault of V3 is enough if the vault cannot be called', () => {
  const each = readCases('balancer/fixtures/made.json').find(({ hops }) => hops[0]?.dex === 'balancer-v3')
  expect(hopsOf(each, { known: [] })).toHaveLength(1)
})
