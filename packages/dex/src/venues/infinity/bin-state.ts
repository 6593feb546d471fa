import { id, keccak256 } from 'ethers'
import { contractCall, selectorOf } from '../../abi/contract-abi.ts'
import { hasWords, uintWord, wordOf } from '../../abi/words.ts'
import type { Address, Hex } from '../../chain.ts'
import type { Bin } from '../../maths/bins/bin-formula.ts'
import type { Pool, PoolAddress } from '../../pool.ts'
import type { PoolKey } from '../../pool-event.ts'
import { present } from '../../present.ts'
import { BINS_EACH_SIDE, type ContractQuote, candidate, checkedBins } from '../checked-state.ts'
import { idOf, isMovingFee } from '../managed-pool.ts'
import type { CallResults, EthCall, StateReading } from '../protocol.ts'
import { feeWithShares } from '../uniswap-v4/state.ts'
import { type InfinityBinState, infinityBin, infinityBinValues } from './bin-quote.ts'
import { canHooksMoveAmounts, keyCall, keyFromManager } from './key.ts'

const GET_SLOT0 = contractCall<[activeId: bigint, shares: bigint, fee: bigint]>(
  'function getSlot0(bytes32) view returns (uint24 activeId, uint24 protocolFee, uint24 lpFee)',
)
const EXTSLOAD = selectorOf('function extsload(bytes32[] slots) view returns (bytes32[])')
const QUOTE = id('quoteExactInputSingle(((address,address,address,address,uint24,bytes32),bool,uint128,bytes))').slice(
  0,
  10,
)

// BinPoolManager's pools are a mapping in slot 5; the offsets are those of the fields of BinPool.State.
const POOLS_SLOT = 5
const RESERVES_OFFSET = 1n
/** A bitmap of the bins with usable liquidity (TreeMath). The key of a word is the bin id without its last 8 bits. */
const TREE_OFFSET = 6n
const BINS_PER_WORD = 256
const LAST_WORD = (1 << 16) - 1

export const INFINITY_BIN_STATE: StateReading = {
  isReadAgain: true,
  *steps(pool) {
    const { address, dex } = pool
    const [ofKey, ofView] = yield [keyCall(address, dex), { to: dex.factory, data: GET_SLOT0.data(idOf(address)) }]
    const key = keyFromManager(address, dex, ofKey)
    const view = GET_SLOT0.read(ofView)
    if (key === null || view === null || view[0] === 0n || canHooksMoveAmounts(key)) return null
    const [activeId, shares, fee] = view
    if (!isMovingFee(key.fee) && BigInt(key.fee) !== fee) return null

    const words = wordsAround(Number(activeId))
    const [slot0, ...tree] =
      (yield* load(pool, [poolSlot(address), ...words.map((word) => treeSlot(address, word))])) ?? []
    if (slot0 !== (activeId | (shares << 24n) | (fee << 48n))) return null
    const ids = binsNear(Number(activeId), words, tree)
    const reserves = yield* load(
      pool,
      ids.map((bin) => mapped(BigInt(bin), poolSlot(address) + RESERVES_OFFSET)),
    )
    if (reserves === null) return null
    const bins = ids.map((bin, index) => toBin(bin, present(reserves[index])))
    const found = candidate(
      infinityBin,
      infinityBinValues({ ...fees(fee, shares), binStep: binStepOf(key), activeId, bins }),
    )
    const quoter = dex.contracts?.binQuoter
    return quoter === undefined ? found.state : yield* checkedBins(found, quoteOf(quoter, dex.factory, key))
  },
  ticks: null,
}

/** BinPoolParametersHelper: the bin step is in bits 16 to 31. */
function binStepOf({ parameters = '0x0' }: PoolKey): bigint {
  return BigInt.asUintN(16, BigInt(parameters) >> 16n)
}

function fees(fee: bigint, shares: bigint): Pick<InfinityBinState, 'fees' | 'shares'> {
  const sum = feeWithShares(Number(fee), Number(shares)).fee ?? { zeroForOne: fee, oneForZero: fee }
  return {
    fees: [BigInt(sum.zeroForOne), BigInt(sum.oneForZero)],
    shares: [BigInt.asUintN(12, shares), shares >> 12n],
  }
}

function poolSlot(pool: PoolAddress): bigint {
  return BigInt(keccak256(`${idOf(pool)}${wordOf(POOLS_SLOT)}`))
}

function treeSlot(pool: PoolAddress, word: number): bigint {
  return mapped(BigInt(word), poolSlot(pool) + TREE_OFFSET)
}

function mapped(key: bigint, slot: bigint): bigint {
  return BigInt(keccak256(`0x${wordOf(key)}${wordOf(slot)}`))
}

function* load({ dex }: Pool, slots: readonly bigint[]): Generator<readonly EthCall[], bigint[] | null, CallResults> {
  const data: Hex = `${EXTSLOAD}${wordOf(32)}${wordOf(slots.length)}${slots.map(wordOf).join('')}`
  const [reply] = yield [{ to: dex.factory, data }]
  if (!reply || !hasWords(reply, 2 + slots.length)) return null
  return slots.map((_, index) => uintWord(reply, 2 + index))
}

function wordsAround(activeId: number): number[] {
  const middle = Math.floor(activeId / BINS_PER_WORD)
  return [middle - 1, middle, middle + 1].filter((word) => word >= 0 && word <= LAST_WORD)
}

function binsNear(activeId: number, words: readonly number[], tree: readonly bigint[]): number[] {
  const inTree = words.flatMap((word, index) => {
    const bits = present(tree[index])
    const places = Array.from({ length: BINS_PER_WORD }, (_, bit) => bit)
    return places.flatMap((bit) => ((bits >> BigInt(bit)) & 1n ? [word * BINS_PER_WORD + bit] : []))
  })
  const below = inTree.filter((bin) => bin < activeId).slice(-BINS_EACH_SIDE)
  const above = inTree.filter((bin) => bin > activeId).slice(0, BINS_EACH_SIDE)
  return [...below, activeId, ...above]
}

/** PackedUint128Math: token0 is in the low half. */
function toBin(id: number, packed: bigint): Bin {
  return { id, reserve0: BigInt.asUintN(128, packed), reserve1: packed >> 128n }
}

function quoteOf(quoter: Address, manager: Address, key: PoolKey): ContractQuote {
  const { currency0, currency1, hooks, fee, parameters = '0x' } = key
  const ofKey = [currency0, currency1, hooks, manager, fee, parameters].map(wordOf).join('')
  return {
    call: (from, _to, amountIn) => {
      // The offset of the tuple. `rest` ends with the offset and the length of the tuple's empty last member.
      const tuple = wordOf(32)
      const rest = [from === 0 ? 1 : 0, amountIn, 9 * 32, 0].map(wordOf).join('')
      return { to: quoter, data: `${QUOTE}${tuple}${ofKey}${rest}` as Hex }
    },
    read: (reply) => (hasWords(reply, 2) ? uintWord(reply, 0) : null),
  }
}
