import type { ContractCall } from '../abi/contract-call.ts'
import type { ContractEvent } from '../abi/contract-event.ts'
import type { Log } from '../chain/block.ts'
import type { Address, Hex } from '../chain/hex.ts'
import type { Dex, DexKind, Pool, PoolAddress } from '../pool.ts'
import type { PoolEvent, PoolFamily, PoolKey } from '../pool-event.ts'
import type { PoolState, TickLiquidity } from '../pool-state.ts'
import type { TickScan } from '../tick-scan/tick-scan.ts'

/** Reads one kind of log; null when it is not an event of the kind after all. */
export type EventDecoder = (log: Log) => PoolEvent | null

/** What logs without a topic have in the place of a first one. */
export const WITHOUT_TOPIC: Hex = '0x'

/** An eth_call. */
export interface Question {
  to: Address
  data: Hex
}

/** Answers to questions, in their order; null: reverted or empty. */
export type Answers = readonly (Hex | null)[]

/** An emitter of pool events that nothing is known of yet. */
export interface PoolCandidate {
  pool: PoolAddress
  family: PoolFamily
  /** Its events at hand. */
  events: readonly PoolEvent[]
  /** Its key, where the log that tells it was found elsewhere. Not believed before it hashes to the pool's id. */
  key?: PoolKey
}

/**
 * A pool of a configured manager whose key only the log that made it tells, which has this first topic. Looking for it
 * may take long; a candidate with the key that it tells proves itself.
 */
export interface MissingKey {
  keyLog: { address: Address; topic: Hex }
}

/** Asks in rounds, each answered at once, and ends with the verified pool, or null: no configured contract knows it. */
export type PoolProof = Generator<readonly Question[], Pool | MissingKey | null, Answers>

/** What a contract says of itself. Nothing of it is believed before the factory names the contract. */
export interface PoolClaim {
  pool: Address
  factory: Address
  token0: Address
  token1: Address
  /** Millionths; null where the pool has no fee of its own to tell. */
  fee: number | null
  tickSpacing: number | null
}

/**
 * How a pool proves itself: by naming a factory that then names it (the call answers the pool's address), or by a proof
 * of the protocol's own against one deployment. Pools inside a manager are asked about where their events came from it.
 */
export type Identity =
  | {
      by: 'factory'
      /** Asks the factory for a pool of its own. */
      poolCall: ContractCall<[Address]>
      argsOf(claim: PoolClaim): readonly (Address | number)[]
      /** What of the claim holds for good, where it is not the fee and the tick spacing; null: no such pool. */
      settle?(claim: PoolClaim): Pick<Pool, 'fee' | 'tickSpacing'> | null
    }
  | { by: 'proof'; prove(candidate: PoolCandidate, dex: Dex): PoolProof }

/** What a factory's log says of a new pool. */
export interface CreatedPool {
  pool: Address
  token0: Address
  token1: Address
  /** The call by which the factory would name it; one of `lookups` where its fee tier is a usual one. */
  lookupCall(): Hex
}

/** Shares of a pool that it swaps itself. */
interface PoolShares {
  token: Address
  /** They stand for one token (ERC-4626) rather than for a part of the pool's liquidity. */
  isWrapper: boolean
}

/** How a pool's state is read at one block. */
export interface StateReading {
  questions(pool: Pool): readonly Question[]
  /** Null when the pool does not answer as its kind should. */
  read(pool: Pool, answers: Answers): PoolState | null
  /** The pool's first events do not tell its whole state (a fee that moves): it begins with a reading. */
  beginsRead?: true
  /** Concentrated liquidity: a word of the bitmap of initialised ticks, and the liquidity of one of them. */
  ticks: null | {
    /** Distance between the ticks of neighbouring bits, where it is not the pool's tick spacing. */
    bitSpacing?: number
    bitmap(pool: Pool, word: number): Question
    tick(pool: Pool, tick: number): Question
    /** The answer, where it may tell that more than liquidity stands at the tick (null): then the pool is not quoted. */
    read?(tick: number, reply: Hex): TickLiquidity | null
    /** How one question reads many of both, to the same effect. */
    scan?: TickScan
  }
}

/** A DEX protocol: which logs its pools emit, how a pool proves to be the deployment's, and how its state is read. */
export interface Protocol {
  kind: DexKind
  family: PoolFamily
  /**
   * By the event's human-readable ABI; a decoder gets logs in the shape of that event. Protocols share events: the
   * factory, never the event, says whose pool it is.
   */
  events: Readonly<Record<string, EventDecoder>>
  /** Reads what the configured contract logs without a topic: such logs are looked for by their contract. */
  withoutTopic?: EventDecoder
  identity: Identity
  /**
   * Whose word the amounts of the events are, where the pool does not measure or enforce them; they are compared with
   * the receipt's transfers (trades/moved/). `caller`: of who swaps, and the transfers into and out of the pool count.
   * `named-contract`: of a contract that the caller names, and any transfer of the transaction counts. `maker`: of a
   * maker's contract, whose source proves nothing, likewise. `pool-without-fee`: the pool's own, but what was paid is
   * told without the fee. Absent: the pool's own.
   */
  amountsReportedBy?: 'caller' | 'named-contract' | 'maker' | 'pool-without-fee'
  /** The shares that a pool takes and gives in its own swaps; absent where that never happens. */
  sharesOf?(pool: Pool): PoolShares | null
  /** Pools may hold coins where their tokens name the wrapper, and so take or pay coins without an event that says so. */
  holdsCoins?: true
  /** Null: the pools' trades are read, but they are not quoted. */
  state: StateReading | null
  /** The topics whose events tell a price of a pool that may be a reference, or its liquidity (`referenceEventOf`). */
  referenceTopics: readonly Hex[]
  /** The factory's event for a new pool; null where no reference pool comes of it. */
  creation: ContractEvent<CreatedPool> | null
  /** Calls to the factory that together answer every pool of two tokens; used to find reference pools. */
  lookups(tokenA: Address, tokenB: Address): readonly PoolLookup[]
}

/** A call to a factory that answers a pool of two tokens. */
interface PoolLookup {
  data: Hex
  /** Of that pool; 1 where it may change, or has none. */
  tickSpacing: number
}

/** For protocols whose pools are never reference pools. */
export const NO_REFERENCES: Pick<Protocol, 'referenceTopics' | 'creation' | 'lookups'> = {
  referenceTopics: [],
  creation: null,
  lookups: () => [],
}
