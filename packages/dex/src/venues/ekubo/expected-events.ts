import { type ExpectedEvents, lower, managed } from '../../../test/random/expected-events.ts'

export const EXPECTED_EVENTS: ExpectedEvents = {
  ekubo: {
    PoolInitialized: ({ poolId, poolKey }) => {
      const { token0, token1, config } = poolKey
      const part = (from: number, to: number) => BigInt(`0x${config.slice(2 + from, 2 + to)}`)
      const rest = (part(40, 56) * 1_000_000n) % 2n ** 64n
      const fee = (part(40, 56) * 1_000_000n) / 2n ** 64n + (rest < 2n ** 63n ? 0n : 1n)
      const currencies = { currency0: lower(token0), currency1: lower(token1) }
      return {
        type: 'created',
        ...managed(poolId),
        key: { ...currencies, parameters: config, tickSpacing: null, fee: Number(fee), hooks: config.slice(0, 42) },
      }
    },
  },
}
