import type { ContractCall, ContractEvent } from '../abi/contract-abi.ts'
import type { Address, Hex, Log } from '../chain.ts'
import type { FormulaKind } from '../maths/formula.ts'
import type { Dex, DexKind, Pool, PoolAddress } from '../pool.ts'
import type { PoolEvent, PoolFamily, PoolKey } from '../pool-event.ts'
import type { NotQuoted, PoolState, TickLiquidity } from '../pool-state.ts'
import type { TickScan } from '../tick-scan/tick-scan.ts'
import type { LiquidityReader } from './liquidity-change.ts'

/** Decodes one kind of log; returns null for other logs. */
export type EventDecoder = (log: Log) => PoolEvent | null

/** Stands for the first topic of logs without topics. */
export const WITHOUT_TOPIC: Hex = '0x'

export interface EthCall {
  to: Address
  data: Hex
}

/** Results in the order of the calls; null if a call reverted or returned nothing. */
export type CallResults = readonly (Hex | null)[]

export interface PoolCandidate {
  pool: PoolAddress
  family: PoolFamily
  events: readonly PoolEvent[]
  /** Comes from another log, and is trusted only if it hashes to the pool's id. */
  key?: PoolKey
}

/** The pool's key is only in its creation log, which has this first topic. Finding the log may take long. */
export interface MissingKey {
  keyLog: { address: Address; topic: Hex }
}

/** Yields rounds of calls; returns null if no configured contract knows the pool. */
export type PoolProof = Generator<readonly EthCall[], Pool | MissingKey | null, CallResults>

/** What a contract says about itself; untrusted until the factory confirms it. */
export interface PoolClaim {
  pool: Address
  factory: Address
  token0: Address
  token1: Address
  /** In millionths; null if the contract reports no fixed fee. */
  fee: number | null
  tickSpacing: number | null
}

/**
 * How a pool is verified: the factory that the pool names must return its address, or the protocol's own proof must
 * succeed for one deployment. Events of pools inside a manager must come from the manager.
 */
export type Identity =
  | {
      by: 'factory'
      poolCall: ContractCall<[Address]>
      argsOf(claim: PoolClaim): readonly (Address | number)[]
      /** Returns the fee and tick spacing to store if the claimed values may change; null for an impossible pool. */
      settle?(claim: PoolClaim): { fee: number; tickSpacing: number | null } | null
    }
  | { by: 'proof'; prove(candidate: PoolCandidate, dex: Dex): PoolProof }

export interface CreatedPool {
  pool: Address
  token0: Address
  token1: Address
  /** Returns the data of the factory's call for this pool; for usual fee tiers, one of `lookups`. */
  lookupCall(): Hex
}

interface PoolShares {
  token: Address
  /** Whether each share wraps one token (ERC-4626) and is not a part of the liquidity. */
  isWrapper: boolean
}

export type StateSteps = Generator<readonly EthCall[], PoolState | null, CallResults>

export interface StateReading {
  /**
   * Returns why a pool must never be quoted: its price, or whether it swaps, depends on unknown code, which can answer
   * a reading as honest code does. Returns null if all such code is known. Absent if the factory deploys known code
   * only and nothing else sets the price.
   */
  unknown?(pool: Pool): Generator<readonly EthCall[], NotQuoted | null, CallResults>
  /** Reads the state at a block with this Unix time. The caller reads many pools side by side. */
  steps(pool: Pool, timestamp: number): StateSteps
  /** Set for formula states (`FormulaState`). Any event of the pool invalidates the state until the next reading. */
  isReadAgain?: true
  /** Set if the events of a new pool lack part of its state, such as a variable fee. */
  beginsRead?: true
  ticks: null | {
    /** Distance in ticks between neighbouring bits, if not the tick spacing. */
    bitSpacing?: number
    bitmap(pool: Pool, word: number): EthCall
    tick(pool: Pool, tick: number): EthCall
    /** Set if ticks may hold more than liquidity. Returns null for such a tick; the pool is then not quoted. */
    read?(tick: number, reply: Hex): TickLiquidity | null
    scan?: TickScan
  }
}

/** Fields of a deployment's configuration, besides name and kind. */
export interface EntryFields {
  /** The field that names the verifying contract; null if any of `others` may name it. */
  verifying: string | null
  others?: readonly string[]
  /** The entry states the fee, or the contract that returns it: pairs do not report it. */
  fee?: true
  /** The entry may state the block that deployed the pools' manager, which has no earlier logs. */
  deploymentBlock?: true
  /** The entry may list factories that deploy known code only, because the vault runs any contract as a pool. */
  poolFactories?: true
  /** Pools may take rates from any contract, so the deployment gets the network's list of known rate providers. */
  rateProviders?: true
}

export const FACTORY_ENTRY: EntryFields = { verifying: 'factory' }

/** The bins that a swap may have used; a bound is null if unknown. `last` is the bin where the swap ended. */
export interface BinPath {
  lowest: bigint | null
  highest: bigint | null
  last: bigint | null
}

export interface ManagedChange {
  pool: Pool
  token: Address
  /** Whether the transaction's swaps paid the token into the pool. */
  wasPaidIn: boolean
  ofPool: readonly Log[]
  foreign: readonly Log[]
}

/** How a managed pool's tokens change outside swaps. A protocol sets one of the two functions. */
interface ManagedChanges {
  /** Set if the manager's events have the pool's id in their data, not in their first indexed field. */
  isIdInData?: true
  /** Topics of other contracts' events whose first indexed field is the pool's id, padded to a word. */
  foreignTopics?: readonly Hex[]
  /** Returns a token's exact change in a manager log. */
  balanceChange?(log: Log, token: Address): bigint
  /**
   * Returns the most that liquidity, fees and donations can have added in a transaction before its swaps paid the token
   * out, or removed after its swaps took the token in. Null if unbounded.
   */
  largestChange?(change: ManagedChange): bigint | null
}

/** A protocol's row in docs/internals/protocols.md. */
export interface About {
  name: string
  verifiedBy: string
  /** What is not read, or not quoted although other pools of the kind are. Null if no gap is known. */
  notCovered: string | null
}

/** How pools of a protocol are found that may price the anchors. */
interface References {
  /** Topics of events that show the price or liquidity of a possible reference pool (`referenceEventOf`). */
  referenceTopics: readonly Hex[]
  /** The factory's event for a new pool; null if it serves neither to find reference pools nor to read creations. */
  creation: ContractEvent<CreatedPool> | null
  /** Returns factory calls that together find every pool of two tokens, to look for reference pools. */
  lookups(tokenA: Address, tokenB: Address): readonly PoolLookup[]
}

export interface Protocol extends References {
  /** Used in configurations, so it must never change. */
  kind: DexKind
  about: About
  family: PoolFamily
  /** Defaults to `FACTORY_ENTRY`. */
  entry?: EntryFields
  /**
   * Decoders by human-readable event ABI, called only for logs of that shape. Protocols share events: the factory,
   * never the event, decides a pool's deployment.
   */
  events: Readonly<Record<string, EventDecoder>>
  /** Decodes logs without topics, which can only be requested by the configured contract's address. */
  withoutTopic?: EventDecoder
  identity: Identity
  /**
   * Events with which the configured contract announces pools, where neither `creation` nor an event with the pool's
   * key does. If there is none of the three, creations are not read.
   */
  created?: readonly ContractEvent<PoolAddress>[]
  /**
   * Who reports amounts that the pool does not measure or enforce. They are checked against the receipt's transfers
   * (trades/moved/):
   * 1. `caller`: the swapper; transfers into and out of the pool count.
   * 2. `named-contract`: a contract that the caller chooses; any transfer counts.
   * 3. `maker`: a maker's contract, whose source proves nothing; any transfer counts.
   * 4. `pool-without-fee`: the pool, but the paid amount excludes the fee.
   * Absent: the pool itself.
   */
  amountsReportedBy?: 'caller' | 'named-contract' | 'maker' | 'pool-without-fee'
  /** Returns the shares that trade in their own pool; null if none do. Absent: never. */
  sharesOf?(pool: Pool): PoolShares | null
  /** Pools hold their tokens at their own address, so transfers show everything that enters and leaves. */
  holdsTokens?: true
  /** Pools pay the output of a swap in one transfer, before the swap event. */
  paysAtOnce?: true
  /** Returns the token of the liquidity shares. Absent: the pool itself, or none inside a manager. */
  shareToken?(pool: Pool): Address
  /** Readers of liquidity logs, by first topic. */
  liquidityLogs?: readonly (readonly [Hex, LiquidityReader])[]
  /**
   * Returns the bins that a swap may have used. `before` is the bin where the pool's previous swap in the transaction
   * ended (null: unknown). Absent: no bins.
   */
  binsOfSwap?(data: Hex, before: bigint | null): BinPath
  /** Returns whether a log of the contract belongs to a swap, other than the swap event. Absent: never. */
  isPartOfSwap?(log: Log): boolean
  /** Topics of swap events whose pool never takes or pays native coin in place of the wrapper. */
  topicsWithoutCoins?: readonly Hex[]
  /** How pools inside a manager change outside swaps. Absent: they do not. */
  managed?: ManagedChanges
  /** Pools may hold native coin in place of the wrapper, and take or pay it without an event. */
  holdsCoins?: true
  /** Returns the contracts whose events change a pool's output or whether it swaps. Absent: none. */
  dependsOn?(pool: Pool): readonly Address[]
  /** Null if trades are read but pools are not quoted. */
  state: StateReading | null
  /** Replaces `state` for deployments whose contracts return the fee (`FeeCall`). */
  stateWithFee?: StateReading
  /** The exact maths of formula states (`FormulaState`). */
  formulas?: readonly FormulaKind[]
  /** Returns whether hooks may change or refuse a swap; such pools are not quoted. Absent: always. */
  canHooksMoveAmounts?(pool: Pool): boolean
}

interface PoolLookup {
  data: Hex
  /** 1 if the spacing is not certain or the pools have none. */
  tickSpacing: number
}

export const NO_REFERENCES: References = {
  referenceTopics: [],
  creation: null,
  lookups: () => [],
}

export interface Venue {
  protocols: readonly Protocol[]
  /** Built-in deployments by network, as `dexes` entries of a `DEX_CONFIG` file. */
  deployments: Readonly<Record<string, readonly unknown[]>>
}
