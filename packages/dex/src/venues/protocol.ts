import type { ContractCall } from '../abi/contract-call.ts'
import type { ContractEvent } from '../abi/contract-event.ts'
import type { Log } from '../chain/block.ts'
import type { Address, Hex } from '../chain/hex.ts'
import type { FormulaKind } from '../maths/formula.ts'
import type { Dex, DexKind, Pool, PoolAddress } from '../pool.ts'
import type { PoolEvent, PoolFamily, PoolKey } from '../pool-event.ts'
import type { NotQuoted, PoolState, TickLiquidity } from '../pool-state.ts'
import type { TickScan } from '../tick-scan/tick-scan.ts'
import type { LiquidityReader } from './liquidity-change.ts'

/** Decodes one kind of log; null for other logs. */
export type EventDecoder = (log: Log) => PoolEvent | null

/** Stands for the first topic of logs without topics. */
export const WITHOUT_TOPIC: Hex = '0x'

export interface EthCall {
  to: Address
  data: Hex
}

/** Call results in order; null: reverted or empty. */
export type CallResults = readonly (Hex | null)[]

/** An unverified emitter of pool events. */
export interface PoolCandidate {
  pool: PoolAddress
  family: PoolFamily
  events: readonly PoolEvent[]
  /** Its key from a log found elsewhere, trusted only if it hashes to the pool's id. */
  key?: PoolKey
}

/** Only the creation log, with this first topic, has the pool's key. Finding it may take long. */
export interface MissingKey {
  keyLog: { address: Address; topic: Hex }
}

/** Yields rounds of calls; returns null if no configured contract knows the pool. */
export type PoolProof = Generator<readonly EthCall[], Pool | MissingKey | null, CallResults>

/** A contract's claim about itself, untrusted until the factory confirms it. */
export interface PoolClaim {
  pool: Address
  factory: Address
  token0: Address
  token1: Address
  /** Millionths; null: no fixed fee reported. */
  fee: number | null
  tickSpacing: number | null
}

/**
 * The factory that a pool names must return its address, or a protocol's own proof must pass against one deployment.
 * Events of pools inside a manager must come from the manager.
 */
export type Identity =
  | {
      by: 'factory'
      poolCall: ContractCall<[Address]>
      argsOf(claim: PoolClaim): readonly (Address | number)[]
      /** Returns the claim's permanent part, if not fee and tick spacing; null: impossible pool. */
      settle?(claim: PoolClaim): Pick<Pool, 'fee' | 'tickSpacing'> | null
    }
  | { by: 'proof'; prove(candidate: PoolCandidate, dex: Dex): PoolProof }

export interface CreatedPool {
  pool: Address
  token0: Address
  token1: Address
  /** Returns the factory's call for this pool; for usual fee tiers, one of `lookups`. */
  lookupCall(): Hex
}

/** Shares of a pool that it swaps itself. */
interface PoolShares {
  token: Address
  /** Each share is one token (ERC-4626), not a part of the liquidity. */
  isWrapper: boolean
}

/** Yields rounds of calls, receives results; returns null if they do not fit. */
export type StateSteps = Generator<readonly EthCall[], PoolState | null, CallResults>

export interface StateReading {
  /**
   * Returns why a pool must never be quoted: its price, or whether it swaps, depends on unknown code, which can answer
   * a reading as honest code does. Null: all is known. Absent: its factory deploys known code only, and nothing else
   * sets the price.
   */
  unknown?(pool: Pool): Generator<readonly EthCall[], NotQuoted | null, CallResults>
  /** Reads the state at a block of this unix time. The caller interleaves many pools. */
  steps(pool: Pool, timestamp: number): StateSteps
  /** A formula's state (FormulaState), unknown after any pool event until the next reading. */
  isReadAgain?: true
  /** The first events lack part of the state, as a changing fee. */
  beginsRead?: true
  /** Concentrated liquidity: a bitmap word of initialised ticks, one tick's liquidity. */
  ticks: null | {
    /** Distance between neighbouring bits' ticks, if not the tick spacing. */
    bitSpacing?: number
    bitmap(pool: Pool, word: number): EthCall
    tick(pool: Pool, tick: number): EthCall
    /** For ticks that may hold more than liquidity; null: the pool is not quoted. */
    read?(tick: number, reply: Hex): TickLiquidity | null
    /** Reads many words and ticks in one call. */
    scan?: TickScan
  }
}

/** A deployment's configuration fields, besides name and kind. */
export interface EntryFields {
  /** Field of the verifying contract; null: any of the others. */
  verifying: string | null
  others?: readonly string[]
  /** Names the fee, or the contract that returns it: pairs do not. */
  fee?: true
  /** May name the deployment block of the pools' manager, which has no earlier logs. */
  deploymentBlock?: true
  /** May name factories of known code only: a vault runs any contract as a pool. */
  poolFactories?: true
  /** Pools may take rates from contracts of their maker's choice, so the network's known ones are passed on. */
  rateProviders?: true
}

/** Fields of a protocol that names none. */
export const FACTORY_ENTRY: EntryFields = { verifying: 'factory' }

/** Bins that a swap may have used; null: unbounded. `last` is the final bin. */
export interface BinPath {
  lowest: bigint | null
  highest: bigint | null
  last: bigint | null
}

/** A managed pool's token, and one transaction's logs about the pool. */
export interface ManagedChange {
  pool: Pool
  token: Address
  /** The transaction's swaps paid the token into the pool. */
  wasPaidIn: boolean
  /** The manager's. */
  ofPool: readonly Log[]
  /** Other contracts', with a topic of `foreignTopics`. */
  foreign: readonly Log[]
}

/** Non-swap changes of a managed pool's tokens, by one of the two functions. */
interface ManagedChanges {
  /** The pool's id is in the event's data. Absent: it is the first indexed field. */
  isIdInData?: true
  /** Topics of other contracts' events whose first indexed field is the pool's word. */
  foreignTopics?: readonly Hex[]
  /** Returns a token's exact change in a manager log. */
  balanceChange?(log: Log, token: Address): bigint
  /**
   * Returns the most that a transaction's liquidity, fees and donations can have added before swaps that paid a token
   * out, or removed after swaps that took it in. Null: unbounded.
   */
  largestChange?(change: ManagedChange): bigint | null
}

/** A protocol's row in docs/internals/protocols.md. */
export interface About {
  /** With built-in forks. */
  name: string
  verifiedBy: string
  /** What is not read, or not quoted although other pools of the kind are. Null: nothing known. */
  notCovered: string | null
}

export interface Protocol {
  /** Names the protocol in configurations; never changes. */
  kind: DexKind
  about: About
  family: PoolFamily
  /** Absent: `FACTORY_ENTRY`. */
  entry?: EntryFields
  /**
   * Decoders by human-readable event ABI, called only for logs of that shape. Protocols share events: the factory,
   * never the event, decides a pool's deployment.
   */
  events: Readonly<Record<string, EventDecoder>>
  /** Decodes the configured contract's logs without topics, which are requested by contract. */
  withoutTopic?: EventDecoder
  identity: Identity
  /**
   * Source of event amounts that the pool does not measure or enforce, checked against the receipt's transfers
   * (trades/moved/):
   * 1. `caller`: the swapper; transfers into and out of the pool count.
   * 2. `named-contract`: a contract of the caller's choice; any transfer counts.
   * 3. `maker`: a maker's contract, whose source proves nothing; any transfer counts.
   * 4. `pool-without-fee`: the pool, but the paid amount excludes the fee.
   * Absent: the pool itself.
   */
  amountsReportedBy?: 'caller' | 'named-contract' | 'maker' | 'pool-without-fee'
  /** Returns the shares that a pool swaps itself; absent: never. */
  sharesOf?(pool: Pool): PoolShares | null
  /** Pools hold their tokens at their own address, so transfers show all that enters and leaves. */
  holdsTokens?: true
  /** Pools pay a swap by one transfer before they report it. */
  paysAtOnce?: true
  /** Returns the share token. Absent: the pool itself, or none inside a manager. */
  shareToken?(pool: Pool): Address
  /** Readers of liquidity logs, by first topic. */
  liquidityLogs?: readonly (readonly [Hex, LiquidityReader])[]
  /**
   * Returns the bins that a swap may have used; `before` is the bin after the pool's previous swap in the transaction
   * (null: unknown). Absent: no bins.
   */
  binsOfSwap?(data: Hex, before: bigint | null): BinPath
  /** Whether a log of the contract belongs to a swap beside its event. Absent: never. */
  isPartOfSwap?(log: Log): boolean
  /** Swap events in which the pool never takes or pays coins for the wrapper. */
  topicsWithoutCoins?: readonly Hex[]
  /** What else changes pools inside a manager. Absent: nothing. */
  managed?: ManagedChanges
  /** Pools may hold coins for the wrapper, and take or pay them without an event. */
  holdsCoins?: true
  /** Returns contracts whose events change the pool's output or whether it swaps. Absent: none. */
  dependsOn?(pool: Pool): readonly Address[]
  /** Null: trades are read, pools not quoted. */
  state: StateReading | null
  /** For deployments whose contracts return the fee (`FeeCall`). */
  stateWithFee?: StateReading
  /** The exact maths of formula states (`FormulaState`). */
  formulas?: readonly FormulaKind[]
  /** Whether hooks may change or refuse a swap; then the pool is not quoted. Absent: always. */
  canHooksMoveAmounts?(pool: Pool): boolean
  /** Topics of events that show a possible reference pool's price or liquidity (`referenceEventOf`). */
  referenceTopics: readonly Hex[]
  /** Null if new pools cannot be reference pools. */
  creation: ContractEvent<CreatedPool> | null
  /** Returns factory calls that together return every pool of two tokens, to find reference pools. */
  lookups(tokenA: Address, tokenB: Address): readonly PoolLookup[]
}

interface PoolLookup {
  data: Hex
  /** 1 if it may change or the pool does not exist. */
  tickSpacing: number
}

export const NO_REFERENCES: Pick<Protocol, 'referenceTopics' | 'creation' | 'lookups'> = {
  referenceTopics: [],
  creation: null,
  lookups: () => [],
}

export interface Venue {
  protocols: readonly Protocol[]
  /** Built-in deployments by network, as `dexes` entries of a `DEX_CONFIG` file. */
  deployments: Readonly<Record<string, readonly unknown[]>>
}
