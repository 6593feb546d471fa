import { keccak256 } from 'ethers'
import { selectorOf } from '../../abi/contract-abi.ts'
import { callData, hasWords, wordOf } from '../../abi/words.ts'
import type { Pool, PoolAddress } from '../../pool.ts'
import type { MovingFee } from '../../pool-state.ts'
import { scanStorage, unpackTick } from '../../tick-scan/tick-scan.ts'
import { idOf } from '../managed-pool.ts'
import type { CallResults, EthCall, StateReading } from '../protocol.ts'

const EXTSLOAD = selectorOf('function extsload(bytes32 slot) view returns (bytes32)')

// Storage of pools (v4-core StateLibrary): a mapping in the manager's slot 6, with these offsets of a pool's fields.
const POOLS_SLOT = 6
const LIQUIDITY_OFFSET = 3n
const TICKS_OFFSET = 4n
const BITMAP_OFFSET = 5n

const MILLION = 1_000_000
const SHARE_BITS = 12
const SHARE_MASK = 0xfff

const mask = (bits: bigint) => (1n << bits) - 1n

/** A pool in a manager's storage, without ticks. Fees are in millionths. */
interface StoredPool {
  sqrtPriceX96: bigint
  tick: number
  liquidity: bigint
  /** The protocol's fees: the low 12 bits for swaps that pay token0, the high 12 bits for token1. */
  shares: number
  fee: number
}

interface ManagerStorage {
  calls(pool: Pool): EthCall[]
  read(results: CallResults): StoredPool | null
  ticks: NonNullable<StateReading['ticks']>
}

export function managerStorage(poolsSlot: number): ManagerStorage {
  const slotOf = (pool: PoolAddress) => BigInt(keccak256(`${idOf(pool)}${wordOf(poolsSlot)}`))
  return {
    calls: (pool) => [load(pool, slotOf(pool.address)), load(pool, slotOf(pool.address) + LIQUIDITY_OFFSET)],
    read: readStored,
    ticks: {
      bitmap: (pool, word) => load(pool, mapped(word, slotOf(pool.address) + BITMAP_OFFSET)),
      tick: (pool, tick) => load(pool, mapped(tick, slotOf(pool.address) + TICKS_OFFSET)),
      read: (tick, reply) => ({ tick, ...unpackTick(BigInt(reply)) }),
      scan: scanStorage(
        EXTSLOAD,
        { bitmap: BITMAP_OFFSET, ticks: TICKS_OFFSET },
        { target: ({ dex }) => dex.factory, slot: ({ address }) => slotOf(address) },
      ),
    },
  }
}

const STORAGE = managerStorage(POOLS_SLOT)

export const UNISWAP_V4_STATE: StateReading = {
  *steps(pool) {
    const stored = STORAGE.read(yield STORAGE.calls(pool))
    if (stored === null) return null
    const { sqrtPriceX96, tick, liquidity, shares } = stored
    return { kind: 'concentrated', sqrtPriceX96, tick, liquidity, ...feeWithShares(pool.fee, shares) }
  },
  ticks: STORAGE.ticks,
}

/**
 * slot0 packs, from its high end: 24 empty bits, uint24 lpFee, uint24 protocolFee, int24 tick, uint160 sqrtPriceX96.
 */
function readStored([slot0, liquidity]: CallResults): StoredPool | null {
  if (!slot0 || !hasWords(slot0, 1) || !liquidity || !hasWords(liquidity, 1)) return null
  const packed = BigInt(slot0)
  const sqrtPriceX96 = packed & mask(160n)
  if (sqrtPriceX96 === 0n) return null
  return {
    sqrtPriceX96,
    tick: Number(BigInt.asIntN(24, packed >> 160n)),
    liquidity: BigInt(liquidity) & mask(128n),
    shares: Number((packed >> 184n) & mask(24n)),
    fee: Number((packed >> 208n) & mask(24n)),
  }
}

function load({ dex }: Pool, slot: bigint): EthCall {
  return { to: dex.factory, data: callData(EXTSLOAD, slot) }
}

function mapped(key: number, slot: bigint): bigint {
  return BigInt(keccak256(`0x${wordOf(key)}${wordOf(slot)}`))
}

/**
 * Returns the fee of a Uniswap V4 pool. The pool's fee applies to the input that is left after the protocol's share
 * (ProtocolFeeLibrary.calculateSwapFee, rounded up). Returns no fee without a share. If both together take (almost) all
 * input, the pool is not quoted. `fee` and `shares` are in millionths; the low 12 bits of `shares` are for swaps that
 * pay token0, the high 12 for token1.
 */
export function feeWithShares(fee: number, shares: number): { fee?: MovingFee } {
  if (shares === 0) return {}
  const combined = (share: number) => share + fee - Math.floor((share * fee) / MILLION)
  const zeroForOne = combined(shares & SHARE_MASK)
  const oneForZero = combined((shares >> SHARE_BITS) & SHARE_MASK)
  const maxFee = MILLION - 1
  return {
    fee: {
      zeroForOne: Math.min(zeroForOne, maxFee),
      oneForZero: Math.min(oneForZero, maxFee),
      exact: zeroForOne <= maxFee && oneForZero <= maxFee,
    },
  }
}
