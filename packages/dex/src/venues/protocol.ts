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

/** Decodes one kind of log; null if the log is not an event of this kind. */
export type EventDecoder = (log: Log) => PoolEvent | null

/** Replaces the first topic of logs without topics. */
export const WITHOUT_TOPIC: Hex = '0x'

export interface EthCall {
  to: Address
  data: Hex
}

/** Results of calls, in their order; null: reverted or empty. */
export type CallResults = readonly (Hex | null)[]

/** An emitter of pool events that is not verified yet. */
export interface PoolCandidate {
  pool: PoolAddress
  family: PoolFamily
  events: readonly PoolEvent[]
  /** Its key, if the log with it was found elsewhere. Trusted only if it hashes to the pool's id. */
  key?: PoolKey
}

/** A pool whose key is only in the log that created it, with this first topic. Finding that log may take long. */
export interface MissingKey {
  keyLog: { address: Address; topic: Hex }
}

/** Yields rounds of calls and receives their results; returns the pool, or null if no configured contract knows it. */
export type PoolProof = Generator<readonly EthCall[], Pool | MissingKey | null, CallResults>

/** What a contract claims about itself. Untrusted until the factory confirms the contract. */
export interface PoolClaim {
  pool: Address
  factory: Address
  token0: Address
  token1: Address
  /** Millionths; null if the pool does not report a fixed fee. */
  fee: number | null
  tickSpacing: number | null
}

/**
 * How a pool is verified: it names a factory, which must return this pool's address, or by a protocol's own proof
 * against one deployment. For pools inside a manager, the events must come from the manager.
 */
export type Identity =
  | {
      by: 'factory'
      poolCall: ContractCall<[Address]>
      argsOf(claim: PoolClaim): readonly (Address | number)[]
      /** Returns the permanent part of the claim, if not fee and tick spacing; null: such a pool cannot exist. */
      settle?(claim: PoolClaim): Pick<Pool, 'fee' | 'tickSpacing'> | null
    }
  | { by: 'proof'; prove(candidate: PoolCandidate, dex: Dex): PoolProof }

export interface CreatedPool {
  pool: Address
  token0: Address
  token1: Address
  /** Returns the factory's call for this pool; one of `lookups` if its fee tier is a usual one. */
  lookupCall(): Hex
}

/** Shares of a pool that it swaps itself. */
interface PoolShares {
  token: Address
  /** Each share is one token (ERC-4626), and not a part of the pool's liquidity. */
  isWrapper: boolean
}

/** Yields rounds of calls and receives their results; returns null if they do not fit the pool's kind. */
export type StateSteps = Generator<readonly EthCall[], PoolState | null, CallResults>

/** How a pool's state is read at one block. */
export interface StateReading {
  /**
   * Reads why a pool must not be quoted, whatever its state says: its price, or whether it swaps, depends on unknown
   * code, which can respond to a reading as honest code does. Null: all is known. Absent: its factory deploys known code
   * alone, and its price comes from nowhere else.
   */
  unknown?(pool: Pool): Generator<readonly EthCall[], NotQuoted | null, CallResults>
  /** Reads the state at a block of this time, in unix seconds. The caller runs the steps of many pools side by side. */
  steps(pool: Pool, timestamp: number): StateSteps
  /** The state is a formula's (FormulaState): any event of the pool makes it unknown until it is read again. */
  isReadAgain?: true
  /** The first events do not contain the whole state (a changing fee), so it is first read from the chain. */
  beginsRead?: true
  /** Concentrated liquidity: a word of the bitmap of initialised ticks, and the liquidity of one tick. */
  ticks: null | {
    /** Distance between the ticks of neighbouring bits, if it is not the pool's tick spacing. */
    bitSpacing?: number
    bitmap(pool: Pool, word: number): EthCall
    tick(pool: Pool, tick: number): EthCall
    /** Reads the result if a tick may hold more than liquidity. Then it returns null, and the pool is not quoted. */
    read?(tick: number, reply: Hex): TickLiquidity | null
    /** Reads many words and ticks with one call, with the same result. */
    scan?: TickScan
  }
}

/** The fields of a deployment in a configuration, besides its name and kind. */
export interface EntryFields {
  /** The field of the contract that verifies pools; null: any of the others does. */
  verifying: string | null
  others?: readonly string[]
  /** It names the fee, or the contract that returns it, because pairs do not. */
  fee?: true
  /** It may name the block that deployed the manager of the pools, which has no logs below. */
  deploymentBlock?: true
  /** It may name the factories that deploy known code alone: a vault runs any contract as a pool. */
  poolFactories?: true
  /** Pools may take a rate from a contract that their maker chose, so the network's known ones are passed on. */
  rateProviders?: true
}

/** The fields of a protocol that names none. */
export const FACTORY_ENTRY: EntryFields = { verifying: 'factory' }

/** Bins that a swap may have used; null: unbounded. `last` is the bin at its end. */
export interface BinPath {
  lowest: bigint | null
  highest: bigint | null
  last: bigint | null
}

/** A token of a pool inside a manager, and the logs of one transaction about the pool. */
export interface ManagedChange {
  pool: Pool
  token: Address
  /** Whether the swaps of the transaction paid the token into the pool. */
  wasPaidIn: boolean
  /** Of the manager. */
  ofPool: readonly Log[]
  /** Of other contracts, with one of `foreignTopics`. */
  foreign: readonly Log[]
}

/** How the tokens of pools inside a manager change other than by swaps. One of the two functions is given. */
interface ManagedChanges {
  /** The manager's events have the pool's id among their data. Absent: it is their first indexed field. */
  isIdInData?: true
  /** Topics of other contracts' events that have the pool's word as first indexed field. */
  foreignTopics?: readonly Hex[]
  /** Returns the exact change of a token in a log of the manager. */
  balanceChange?(log: Log, token: Address): bigint
  /**
   * Returns the most that liquidity, fees and donations of a transaction can have brought into a pool before swaps that
   * paid a token out, or taken out after swaps that it was paid into. Null if the events do not bound it.
   */
  largestChange?(change: ManagedChange): bigint | null
}

/** What the page of protocols (docs/internals/protocols.md) says of a protocol: the cells of its row. */
export interface About {
  /** With the forks that are built in. */
  name: string
  /** What confirms that an emitter is a pool. */
  verifiedBy: string
  /** What is not read, or not quoted though other pools of the kind are. Null: nothing is known to be missing. */
  notCovered: string | null
}

/** A DEX protocol: which logs its pools emit, how a pool is verified, and how its state is read. */
export interface Protocol {
  /** Names the protocol in configurations; never changes. */
  kind: DexKind
  about: About
  family: PoolFamily
  /** Absent: `FACTORY_ENTRY`. */
  entry?: EntryFields
  /**
   * Decoders by the event's human-readable ABI; they receive only logs of that event's shape. Protocols share events:
   * the factory, never the event, decides which deployment a pool belongs to.
   */
  events: Readonly<Record<string, EventDecoder>>
  /** Decodes logs of the configured contract that have no topic; such logs are requested by their contract. */
  withoutTopic?: EventDecoder
  identity: Identity
  /**
   * The source of the amounts in events, if the pool does not measure or enforce them. They are then compared with the
   * receipt's transfers (trades/moved/):
   *
   * 1. `caller`: the swapper; transfers into and out of the pool count.
   * 2. `named-contract`: a contract that the caller chooses; any transfer of the transaction counts.
   * 3. `maker`: a maker's contract, whose source proves nothing; any transfer counts.
   * 4. `pool-without-fee`: the pool, but the paid amount excludes the fee.
   *
   * Absent: the pool itself.
   */
  amountsReportedBy?: 'caller' | 'named-contract' | 'maker' | 'pool-without-fee'
  /** Returns the shares that a pool takes and gives in its own swaps; absent if that never happens. */
  sharesOf?(pool: Pool): PoolShares | null
  /** Its pools hold their tokens at their own address, so that its transfers show all that enters and leaves. */
  holdsTokens?: true
  /** Its pools pay what a swap reports with one transfer, before they report it. */
  paysAtOnce?: true
  /** Returns the token of a pool's shares. Absent: the pool itself, or no token if it is inside a manager. */
  shareToken?(pool: Pool): Address
  /** Readers of the logs that add or remove liquidity, by first topic. */
  liquidityLogs?: readonly (readonly [Hex, LiquidityReader])[]
  /**
   * Returns the bins that a swap may have used, by the event's data and the bin after the pool's previous swap in the
   * transaction (null: unknown). Absent: the pools have no bins.
   */
  binsOfSwap?(data: Hex, before: bigint | null): BinPath
  /** Whether a log of its contract belongs to its swaps, besides their own event. Absent: none does. */
  isPartOfSwap?(log: Log): boolean
  /** Events of swaps in which the pool takes and pays no coins for their wrapper. */
  topicsWithoutCoins?: readonly Hex[]
  /** What else changes pools inside a manager. Absent: nothing does. */
  managed?: ManagedChanges
  /** Pools may hold coins for the wrapper among their tokens, and take or pay coins without an event that shows it. */
  holdsCoins?: true
  /** Returns other contracts whose events change what the pool pays, or whether it swaps. Absent: there are none. */
  dependsOn?(pool: Pool): readonly Address[]
  /** Null: the pools' trades are read, but they are not quoted. */
  state: StateReading | null
  /** The same for deployments whose contracts return the fee (`FeeCall`). */
  stateWithFee?: StateReading
  /** The exact maths of its states, if they are a formula's (`FormulaState`). */
  formulas?: readonly FormulaKind[]
  /**
   * Returns whether a pool's hooks may change what a swap gives, or refuse it. Such a pool is not quoted. Absent: hooks
   * of this kind always may.
   */
  canHooksMoveAmounts?(pool: Pool): boolean
  /** The topics of events that show a price or the liquidity of a possible reference pool (`referenceEventOf`). */
  referenceTopics: readonly Hex[]
  /** The factory's event for a new pool; null if it cannot lead to reference pools. */
  creation: ContractEvent<CreatedPool> | null
  /** Returns calls of the factory that together return every pool of two tokens; used to find reference pools. */
  lookups(tokenA: Address, tokenB: Address): readonly PoolLookup[]
}

interface PoolLookup {
  data: Hex
  /** Of that pool; 1 if it may change, or does not exist. */
  tickSpacing: number
}

/** For protocols whose pools are never reference pools. */
export const NO_REFERENCES: Pick<Protocol, 'referenceTopics' | 'creation' | 'lookups'> = {
  referenceTopics: [],
  creation: null,
  lookups: () => [],
}

/** All that dexfeed knows of a DEX: its protocols, and where they are deployed. */
export interface Venue {
  protocols: readonly Protocol[]
  /** The built-in deployments of each network, as the entries of `dexes` in a `DEX_CONFIG` file. */
  deployments: Readonly<Record<string, readonly unknown[]>>
}
