import { readFileSync } from 'node:fs'
import { AbiCoder, Interface, keccak256 } from 'ethers'
import type { Address, Hex, Log } from '../src/chain.ts'
import { builtInDeployments } from '../src/deployments/dex-config.ts'
import { NETWORK_NAMES, type NetworkName } from '../src/deployments/networks.ts'
import type { Dex, DexKind, Pool } from '../src/pool.ts'
import type { Hop } from '../src/trades/trade.ts'
import { emitterOf } from '../src/venues/managed-pool.ts'
import { FACTORY_ENTRY } from '../src/venues/protocol.ts'
import { protocolOf } from '../src/venues/registry.ts'
import { type Replayed, replayLogs } from './replay-receipt.ts'
import type { KnownResult } from './run-proof.ts'

/**
 * A file in `fixtures/` in a venue's folder: the logs of a transaction, what its contracts return, and its hops. The
 * logs were recorded on one network, or are made from their ABI for every built-in deployment of a kind.
 *
 * Made logs have placeholders: `$pool`, `$user`, `$tokenA`, `$tokenB`, `$id`, and `$factory` or any other contract by
 * its field in deployments.json. Without `hops`, 5,000,000 of token A are sold for 4,990,000 of token B, in a pool with
 * the fields of `pool`.
 */
type VenueFixture = { logs: readonly (RecordedLog | MadeLog)[]; calls?: readonly KnownResult[] } & (
  | { network: NetworkName; blockNumber: number; hops: readonly ExpectedHop[] }
  | {
      kind: DexKind
      /** If absent, all deployments of the kind. */
      dexes?: readonly string[]
      /** Types and values of a key; `$id` is the hash of their ABI encoding. */
      id?: readonly (readonly [type: string, value: unknown])[]
      hops?: readonly ExpectedHop[]
      pool?: Partial<Pool>
    }
)

type RecordedLog = Pick<Log, 'address' | 'topics' | 'data'> & Partial<Log>

interface MadeLog {
  address: string
  /** The event as in its source, without the keyword `event`. */
  event: string
  args: readonly unknown[]
}

interface ExpectedHop {
  dex: string
  tokenIn: Address
  amountIn: string
  tokenOut: Address
  amountOut: string
  /** The account that received the sold token by a transfer. */
  receiver?: Address
  /** The account that paid the bought token by a transfer; null if coins were paid in place of their wrapper. */
  payer?: Address | null
  [field: string]: unknown
}

/** A fixture on one network. */
export interface FixtureCase {
  name: string
  network: NetworkName
  isRecorded: boolean
  logs: readonly Log[]
  known: readonly KnownResult[]
  hops: readonly ExpectedHop[]
}

const address = (byte: string): Address => `0x${byte.repeat(20)}`
const PLACEHOLDERS = { pool: address('99'), user: address('cc'), tokenA: address('0a'), tokenB: address('0b') }
const FORGER = address('66')

/** Returns the cases in a file of fixtures, given its path in `venues/`. */
export function readCases(file: string): FixtureCase[] {
  const fixtures: VenueFixture | VenueFixture[] = JSON.parse(
    readFileSync(new URL(`../src/venues/${file}`, import.meta.url), 'utf8'),
  )
  return [fixtures].flat().flatMap(casesOf)
}

/** Returns the cases of a fixture: a single one if it was recorded, otherwise one for each deployment. */
export function casesOf(fixture: VenueFixture): FixtureCase[] {
  if ('network' in fixture) {
    const { network, hops, logs, calls = [] } = fixture
    const name = `${hops.map(({ dex }) => dex).join(', ')} on ${network}, recorded`
    return [{ name, network, isRecorded: true, logs: placed(logs), known: calls.map(asFunction), hops }]
  }
  return NETWORK_NAMES.flatMap((network) =>
    builtInDeployments[network].dexes
      .filter(({ kind, name }) => kind === fixture.kind && fixture.dexes?.includes(name) !== false)
      .map((dex) => madeCase(fixture, network, dex)),
  )
}

function madeCase(fixture: Extract<VenueFixture, { kind: DexKind }>, network: NetworkName, dex: Dex): FixtureCase {
  const { verifying } = protocolOf(dex.kind).entry ?? FACTORY_ENTRY
  const contracts = { ...PLACEHOLDERS, [verifying ?? 'factory']: dex.factory, ...dex.contracts }
  const key = (fixture.id ?? []).map(([type, value]) => [type, filled(value, contracts)] as const)
  const [types, values] = [key.map(([type]) => type), key.map(([, value]) => value)]
  const fill = <Value>(value: Value): Value =>
    filled(value, { ...contracts, id: keccak256(AbiCoder.defaultAbiCoder().encode(types, values)) })
  const { tokenA, tokenB } = PLACEHOLDERS
  const sold = { tokenIn: tokenA, amountIn: '5000000', tokenOut: tokenB, amountOut: '4990000' }
  return {
    name: `${dex.name} (${dex.kind}) on ${network}`,
    network,
    isRecorded: false,
    logs: placed(fill(fixture.logs)),
    known: fill(fixture.calls ?? []).map(asFunction),
    hops: fill(fixture.hops ?? [{ dex: dex.name, ...sold, pool: fixture.pool ?? {} }]),
  }
}

/** Replaces the placeholders in a JSON value. */
function filled<Value>(value: Value, by: Readonly<Record<string, string>>): Value {
  const text = JSON.stringify(value).replaceAll(/"\$(\w+)"/g, (_, name) => {
    const replacement = by[name]
    if (replacement === undefined) throw new Error(`the deployment has no ${name}`)
    return JSON.stringify(replacement)
  })
  return JSON.parse(text)
}

function placed(logs: readonly (RecordedLog | MadeLog)[]): Log[] {
  return logs.map((log, logIndex) => {
    const place = { transactionIndex: 0, logIndex }
    if (!('event' in log)) return { ...place, ...log }
    const { topics, data } = new Interface([`event ${log.event}`]).encodeEventLog(nameOf(log.event), log.args)
    return { ...place, address: log.address as Address, topics: topics as Hex[], data: data as Hex }
  })
}

const nameOf = (fragment: string) => /^\w+/.exec(fragment)?.[0] ?? ''
const asFunction = (call: KnownResult): KnownResult => ({ ...call, abi: `function ${call.abi}` })

/** Reads the logs of a case like the indexer, with the built-in deployments of its network. */
export function replayCase({ network, logs, known }: FixtureCase): Replayed {
  const { dexes, wrappedNative } = builtInDeployments[network]
  return replayLogs(1, logs, dexes, known, wrappedNative)
}

/**
 * Returns the result of a call that confirms a pool as if the contract did not know the pool: `false`, or another
 * address in its place. Returns null for other calls.
 */
export function denialOf({ to, args = [], result }: KnownResult, emitters: ReadonlySet<string>): unknown[] | null {
  if (result[0] === true) return [false]
  if ([to, ...args].some((given) => emitters.has(String(given)))) return null
  const text = JSON.stringify(result)
  const other = [...emitters].reduce((changed, emitter) => changed.replaceAll(emitter, FORGER), text)
  return other === text ? null : JSON.parse(other)
}

/**
 * Returns the case with the same logs from another contract, which returns what the real pools, managers or makers
 * return.
 */
export function forged(fixtureCase: FixtureCase, hops: readonly Hop[]): FixtureCase {
  const emitters = emittersOf(hops)
  const logs = fixtureCase.logs.map((log) => (emitters.has(log.address) ? { ...log, address: FORGER } : log))
  const copied = fixtureCase.known.filter(({ to }) => emitters.has(to)).map((call) => ({ ...call, to: FORGER }))
  return { ...fixtureCase, logs, known: [...fixtureCase.known, ...copied] }
}

/** Returns the contracts that emitted the hops. */
export function emittersOf(hops: readonly Hop[]): ReadonlySet<string> {
  return new Set(hops.map(({ pool }) => emitterOf(pool.address)))
}
