import { keccak256 } from 'ethers'
import { wordOf } from '../../src/abi/words.ts'
import type { Address, Hex } from '../../src/chain.ts'
import type { TickLiquidity } from '../../src/pool-state.ts'

type Rpc = (method: string, params: readonly unknown[]) => Promise<unknown>

/** The slots of a contract's mappings from words to bits, and from ticks to their liquidity. */
export interface TickSlots {
  bitmap: bigint
  ticks: bigint
}

/** Writes ticks into the storage of a real contract, as if liquidity had been added there. */
export async function writeTicks(
  rpc: Rpc,
  contract: Address,
  slots: TickSlots,
  { ticks, bitSpacing }: { ticks: readonly TickLiquidity[]; bitSpacing: number },
): Promise<void> {
  const words = new Map<number, bigint>()
  for (const { tick } of ticks) {
    const position = tick / bitSpacing
    words.set(position >> 8, (words.get(position >> 8) ?? 0n) | (1n << BigInt(position & 255)))
  }
  const write = (slot: Hex, value: bigint) => rpc('anvil_setStorageAt', [contract, slot, `0x${wordOf(value)}`])
  await Promise.all([
    ...[...words].map(([word, bits]) => write(slotOf(word, slots.bitmap), bits)),
    ...ticks.map(({ tick, gross, net }) =>
      write(slotOf(tick, slots.ticks), (BigInt.asUintN(128, net) << 128n) | gross),
    ),
  ])
}

function slotOf(key: number, mapping: bigint): Hex {
  return keccak256(`0x${wordOf(key)}${wordOf(mapping)}`) as Hex
}
