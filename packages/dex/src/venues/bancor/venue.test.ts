import { Interface } from 'ethers'
import { expect, test } from 'vitest'
import { readCases, replayCase } from '../../../test/replay-fixture.ts'

test('a converter of V2 says what the network says of the same step: reading both would count twice', () => {
  const conversion = new Interface([
    'event Conversion(address indexed source, address indexed target, address indexed trader, uint256 sourceAmount, uint256 targetAmount, int256 fee)',
  ])
  const [{ logs, hops } = { logs: [], hops: [] }] = readCases('bancor/fixtures/bancor-v2.json').map(replayCase)
  const reported = logs.flatMap(({ topics, data }) => {
    const { sourceAmount, targetAmount } = conversion.parseLog({ topics: [...topics], data })?.args.toObject() ?? {}
    return sourceAmount === undefined ? [] : [[sourceAmount, targetAmount]]
  })
  expect(reported.length).toBeGreaterThan(0)
  expect(reported).toEqual(hops.map(({ amountIn, amountOut }) => [amountIn, amountOut]))
})
