import type { Address, Hex } from '@dexfeed/dex'
import type { ScriptedBlock } from './chain/scripted-chain.ts'
import type { ScriptedMarket, ScriptedPool } from './chain/scripted-market.ts'
import { textResult, word, words } from './chain/words.ts'

const NOTHING: Hex = '0x'
const NO_ADDRESS: Hex = `0x${'0'.repeat(40)}`

/** Null: the contract reverts. */
export function answerCall(market: ScriptedMarket, { states }: ScriptedBlock, to: Address, data: Hex): Hex | null {
  const selector = data.slice(2, 10)
  const argument = (index: number): string => data.slice(10 + 64 * index, 74 + 64 * index)
  const born = market.pools.filter(({ address }) => states.has(address))
  const pool = born.find(({ address }) => address === to)
  if (pool !== undefined) return ofPool(pool, states, selector, argument)
  const token = market.tokens.find(({ address }) => address === to)
  if (token !== undefined) {
    if (selector === '95d89b41' || selector === '06fdde03') return textResult(token.symbol)
    return selector === '313ce567' ? words(token.decimals) : null
  }
  const ofFactory = market.pools.filter(({ factory }) => factory === to)
  if (ofFactory.length === 0) return NOTHING
  const wanted = [argument(0), argument(1)].sort()
  const found = born.find(
    ({ factory, token0, token1, fee, tickSpacing }) =>
      factory === to &&
      word(token0.address) === wanted[0] &&
      word(token1.address) === wanted[1] &&
      (tickSpacing === null ? selector === 'e6a43905' : selector === '1698ee82' && word(fee) === argument(2)),
  )
  return words(found?.address ?? NO_ADDRESS)
}

function ofPool(
  { address, factory, token0, token1, fee, tickSpacing }: ScriptedPool,
  states: ScriptedBlock['states'],
  selector: string,
  argument: (index: number) => string,
): Hex | null {
  const state = states.get(address)
  if (state === undefined) return NOTHING
  const common: Record<string, () => Hex> = {
    c45a0155: () => words(factory),
    '0dfe1681': () => words(token0.address),
    d21220a7: () => words(token1.address),
  }
  if (state.kind === 'pair') {
    const { reserve0, reserve1 } = state
    const ofPair: Record<string, () => Hex> = { ...common, '0902f1ac': () => words(reserve0, reserve1, 0) }
    return ofPair[selector]?.() ?? null
  }
  const spacing = tickSpacing ?? 1
  const number = () => Number(BigInt.asIntN(256, BigInt(`0x${argument(0)}`)))
  const answers: Record<string, () => Hex> = {
    ...common,
    ddca3f43: () => words(fee),
    d0c93a7c: () => words(spacing),
    '3850c7bd': () => words(state.sqrtPriceX96, state.tick, 0, 0, 0, 0, 1),
    '1a686502': () => words(state.liquidity),
    '5339c296': () => {
      let bits = 0n
      for (const tick of state.ticks.keys()) {
        const place = tick / spacing
        if (place >> 8 === number()) bits |= 1n << BigInt(place & 255)
      }
      return words(bits)
    },
    f30dba93: () => {
      const { gross, net } = state.ticks.get(number()) ?? { gross: 0n, net: 0n }
      return words(gross, net, 0, 0, 0, 0, 0, gross > 0n ? 1 : 0)
    },
  }
  return answers[selector]?.() ?? null
}
