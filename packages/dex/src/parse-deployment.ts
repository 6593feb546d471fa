import type * as z from 'zod'
import type { Deployment } from './deployment.ts'
import { dexSchema, networkSchema } from './deployment-schema.ts'
import { DEX_ADDRESSES } from './dex-addresses.ts'
import { NATIVE_PLACEHOLDERS, NETWORKS, type NetworkName } from './network.ts'
import { DEX_KINDS, type Dex } from './pool.ts'
import { isRecord, problemLines, quote } from './problem-lines.ts'
import { READABLE_KINDS } from './readable-kinds.ts'

/** Reads one network's entry; `deployment` is null exactly when there are problems. */
export function parseDeployment(
  network: NetworkName,
  entry: unknown,
): { deployment: Deployment | null; problems: string[]; warnings: string[] } {
  const parsed = networkSchema.safeParse(entry)
  const problems = parsed.success ? [] : problemLines(parsed.error, network, entry)
  const warnings: string[] = []
  const dexes: Dex[] = []
  const places = new Map<string, string>()
  const entries = isRecord(entry) && Array.isArray(entry.dexes) ? entry.dexes : []
  for (const [index, value] of entries.entries()) {
    const place = `${network}.dexes[${index}]`
    const read = parseDex(place, value)
    problems.push(...read.problems, ...repeats(read.claims, places))
    if (read.dex) dexes.push(read.dex)
    if (read.unread) warnings.push(`${place}: ${read.unread}`)
  }
  if (parsed.success) problems.push(...clashesOf(network, parsed.data))
  if (!parsed.success || problems.length > 0) return { deployment: null, problems, warnings }
  if (dexes.length === 0) warnings.push(`${network}.dexes: none of a kind that is read, so nothing is indexed`)
  warnings.push(...hiddenSymbols(network, parsed.data))
  const tokens = parsed.data.tokens.map(({ aliases, ...token }) => (aliases ? { ...token, aliases } : token))
  return { deployment: { ...parsed.data, network, tokens, dexes }, problems, warnings }
}

/** A name or contract that only one part of a network's entry may have. */
interface Claim {
  value: string
  place: string
}

interface ParsedDex {
  /** Null when it has problems or its kind is not read yet. */
  dex: Dex | null
  /** The warning, when its kind is not read yet. */
  unread: string | null
  claims: Claim[]
  problems: string[]
}

function parseDex(place: string, entry: unknown): ParsedDex {
  const refused = (...problems: string[]): ParsedDex => ({ dex: null, unread: null, claims: [], problems })
  if (!isRecord(entry)) return refused(`${place}: must be an object, not ${quote(entry)}`)
  const kind = DEX_KINDS.find((known) => known === entry.kind)
  if (!kind) {
    const found = entry.kind === undefined ? 'is missing' : `${quote(entry.kind)} is unknown`
    return refused(`${place}.kind: ${found}; there are ${DEX_KINDS.join(', ')}`)
  }
  const parsed = dexSchema(kind).safeParse(entry)
  if (!parsed.success) return refused(...problemLines(parsed.error, place, entry))
  const { name, feeBps } = parsed.data
  const field = DEX_ADDRESSES[kind].vouching
  const factory = field === null ? null : (parsed.data[field] ?? null)
  const claims = [{ value: `name ${name}`, place: `${place}.name` }]
  if (factory !== null) claims.push({ value: factory, place: `${place}.${field}` })
  if (factory === null || !READABLE_KINDS.includes(kind)) {
    return { dex: null, unread: `${name} is left out, its kind ${kind} is not read yet`, claims, problems: [] }
  }
  return {
    dex: { name, kind, factory, ...(feeBps === undefined ? {} : { feeBps }) },
    unread: null,
    claims,
    problems: [],
  }
}

/** Notes each claim's place; a problem for each that stands somewhere already. */
function repeats(claims: readonly Claim[], places: Map<string, string>): string[] {
  return claims.flatMap(({ value, place }) => {
    const earlier = places.get(value)
    if (earlier !== undefined) return [`${place}: the same as ${earlier}`]
    places.set(value, place)
    return []
  })
}

type NetworkEntry = z.infer<typeof networkSchema>

/** What each part alone cannot see: one token in two places, or an address that can only mean the coin. */
function clashesOf(network: NetworkName, entry: NetworkEntry): string[] {
  const trusted: Claim[] = [
    { value: entry.wrappedNative, place: `${network}.wrappedNative` },
    ...entry.stablecoins.map((value, index) => ({ value, place: `${network}.stablecoins[${index}]` })),
    ...entry.anchors.map((value, index) => ({ value, place: `${network}.anchors[${index}]` })),
  ]
  const listed = entry.tokens.map(({ address }, index) => {
    return { value: address, place: `${network}.tokens[${index}].address` }
  })
  const coin: readonly string[] = NATIVE_PLACEHOLDERS[network]
  const misplaced = [...trusted, ...listed].filter(({ value }) => coin.includes(value))
  return [
    ...repeats(trusted, new Map()),
    ...repeats(listed, new Map()),
    ...misplaced.map(({ place }) => `${place}: stands for the coin, not for a token`),
  ]
}

/** Symbols that a request takes for the coin before it looks at the list. */
function hiddenSymbols(network: NetworkName, entry: NetworkEntry): string[] {
  const { symbol: coin, aliases } = NETWORKS[network].native
  const taken = new Set([coin, ...aliases].map((symbol) => symbol.toUpperCase()))
  return entry.tokens.flatMap((token, index) =>
    [token.symbol, ...(token.aliases ?? [])]
      .filter((symbol) => taken.has(symbol.toUpperCase()))
      .map((symbol) => `${network}.tokens[${index}]: ${symbol} names the coin; this token answers to its address only`),
  )
}
