import { intWord, uintWord } from './abi-words.ts'
import type { Hex } from './chain/hex.ts'
import type { TickLiquidity } from './pool-state.ts'

/** liquidityGross and liquidityNet are the first two results of `ticks` in every fork. */
export function readTick(tick: number, reply: Hex): TickLiquidity {
  return { tick, gross: uintWord(reply, 0), net: intWord(reply, 1) }
}
