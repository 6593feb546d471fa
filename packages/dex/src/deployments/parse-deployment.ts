import type * as z from 'zod'
import type { Address } from '../chain.ts'
import type { Dex } from '../pool.ts'
import { FACTORY_ENTRY } from '../venues/protocol.ts'
import { DEX_KINDS, protocolOf } from '../venues/registry.ts'
import type { Deployment, ListedToken } from './deployment.ts'
import {
  DEFAULT_FEE_BPS,
  type DexEntry,
  dexSchema,
  networkSchema,
  settlementSchema,
  tokenSchema,
} from './deployment-schema.ts'
import { NETWORKS, type NetworkName } from './networks.ts'

/** Parses one network's entry. `deployment` is null if and only if there are problems. */
export function parseDeployment(
  network: NetworkName,
  entry: unknown,
): { deployment: Deployment | null; problems: string[]; warnings: string[] } {
  const parsed = networkSchema.safeParse(entry)
  const problems = parsed.success ? [] : problemLines(parsed.error, network, entry)
  const warnings = unknownKeys(entry, network, networkSchema.shape)
  const dexes: Dex[] = []
  const places = new Map<string, string>()
  for (const [index, value] of listOf(entry, 'dexes').entries()) {
    const read = parseDex(`${network}.dexes[${index}]`, value)
    problems.push(...read.problems, ...repeats(read.claims, places))
    warnings.push(...read.warnings)
    if (read.dex) dexes.push(read.dex)
  }
  for (const [index, value] of listOf(entry, 'settlements').entries()) {
    warnings.push(...unknownKeys(value, `${network}.settlements[${index}]`, settlementSchema.shape))
  }
  for (const [index, value] of listOf(entry, 'tokens').entries()) {
    warnings.push(...unknownKeys(value, `${network}.tokens[${index}]`, tokenSchema.shape))
  }
  if (parsed.success) problems.push(...clashesOf(network, parsed.data))
  if (!parsed.success || problems.length > 0) return { deployment: null, problems, warnings }
  const { wrappedNative, settlements, rateProviders, finalityDepth } = parsed.data
  const stablecoins = [...new Set(parsed.data.stablecoins)]
  const anchors = [...new Set(parsed.data.anchors)].filter((anchor) => !stablecoins.includes(anchor))
  const tokens = mergeTokens(parsed.data.tokens)
  if (stablecoins.length === 0) warnings.push(`${network}.stablecoins: none, so no trade has a USD value`)
  if (dexes.length === 0) warnings.push(`${network}.dexes: none of a kind that is read, so nothing is indexed`)
  warnings.push(...hiddenSymbols(network, parsed.data))
  return {
    deployment: {
      network,
      wrappedNative,
      stablecoins,
      anchors,
      settlements,
      tokens,
      finalityDepth,
      dexes: dexes.map((dex) => withRates(dex, rateProviders)),
    },
    problems,
    warnings,
  }
}

function withRates(dex: Dex, rateProviders: readonly Address[]): Dex {
  return protocolOf(dex.kind).entry?.rateProviders && rateProviders.length > 0 ? { ...dex, rateProviders } : dex
}

function listOf(entry: unknown, key: 'dexes' | 'settlements' | 'tokens'): readonly unknown[] {
  const list = isRecord(entry) ? entry[key] : undefined
  return Array.isArray(list) ? list : []
}

interface Claim {
  value: Address
  place: string
}

interface ParsedDex {
  /** Null if the entry has problems, or no contract that verifies its pools. */
  dex: Dex | null
  claims: Claim[]
  problems: string[]
  warnings: string[]
}

function parseDex(place: string, entry: unknown): ParsedDex {
  const refused = (problems: string[], warnings: string[] = []) => ({ dex: null, claims: [], problems, warnings })
  if (!isRecord(entry)) return refused([`${place}: must be an object, not ${quote(entry)}`])
  const kind = DEX_KINDS.find((candidate) => candidate === entry.kind)
  if (!kind) {
    const found = entry.kind === undefined ? 'is missing' : `${quote(entry.kind)} is unknown`
    return refused([`${place}.kind: ${found}; there are ${DEX_KINDS.join(', ')}`])
  }
  const schema = dexSchema(kind)
  const warnings = unknownKeys(entry, place, schema.shape)
  const parsed = schema.safeParse(entry)
  if (!parsed.success) return refused(problemLines(parsed.error, place, entry), warnings)
  const { name, deploymentBlock, poolFactories } = parsed.data
  if (parsed.data.feeBps !== undefined && parsed.data.feeCall !== undefined) {
    return refused([`${place}: has feeBps and feeCall; keep one of them`], warnings)
  }
  const claims = verifyingContracts(kind, parsed.data, place)
  const factory = claims[0]?.value
  if (factory === undefined) {
    warnings.push(`${place}: ${name} is skipped because it has no factory`)
    return { dex: null, claims, problems: [], warnings }
  }
  const contracts = contractsOf(kind, parsed.data)
  const block = deploymentBlock === undefined ? {} : { deploymentBlock }
  const fee = protocolOf(kind).entry?.fee === true ? feeOf(parsed.data) : {}
  const factories = poolFactories === undefined ? {} : { poolFactories }
  return { dex: { name, kind, factory, ...fee, ...block, ...contracts, ...factories }, claims, problems: [], warnings }
}

function feeOf({ feeBps = DEFAULT_FEE_BPS, feeCall }: DexEntry): Pick<Dex, 'feeBps' | 'feeCall'> {
  return feeCall === undefined ? { feeBps } : { feeCall }
}

function verifyingContracts(kind: Dex['kind'], entry: DexEntry, place: string): Claim[] {
  const { verifying, others = [] } = protocolOf(kind).entry ?? FACTORY_ENTRY
  return (verifying === null ? others : [verifying]).flatMap((field) => {
    const value = entry[field] as Address | undefined
    return value === undefined ? [] : [{ value, place: `${place}.${field}` }]
  })
}

function contractsOf(kind: Dex['kind'], entry: DexEntry): Pick<Dex, 'contracts'> {
  const named = (protocolOf(kind).entry?.others ?? []).flatMap((field) => {
    const address = entry[field] as Address | undefined
    return address === undefined ? [] : [[field, address] as const]
  })
  return named.length === 0 ? {} : { contracts: Object.fromEntries(named) }
}

function repeats(claims: readonly Claim[], places: Map<string, string>): string[] {
  return claims.flatMap(({ value, place }) => {
    const earlier = places.get(value)
    if (earlier !== undefined) return [`${place}: the same as ${earlier}`]
    places.set(value, place)
    return []
  })
}

type NetworkEntry = z.infer<typeof networkSchema>

function clashesOf(network: NetworkName, entry: NetworkEntry): string[] {
  const { wrappedNative, stablecoins, anchors, tokens } = entry
  const priced: Claim[] = [
    ...stablecoins.map((value, index) => ({ value, place: `${network}.stablecoins[${index}]` })),
    ...anchors.map((value, index) => ({ value, place: `${network}.anchors[${index}]` })),
  ]
  const wrapped: Claim = { value: wrappedNative, place: `${network}.wrappedNative` }
  const listed = tokens.map(({ address }, index) => ({ value: address, place: `${network}.tokens[${index}].address` }))
  const coin: readonly string[] = NETWORKS[network].native.placeholders
  return [
    ...priced
      .filter(({ value }) => value === wrapped.value)
      .map(({ place }) => `${place}: the same as ${wrapped.place}`),
    ...[wrapped, ...priced, ...listed]
      .filter(({ value }) => coin.includes(value))
      .map(({ place }) => `${place}: is the coin, not a token`),
    ...decimalsClashes(network, tokens),
  ]
}

/** A token may be listed again with more symbols, but with the same decimals. */
function decimalsClashes(network: NetworkName, tokens: NetworkEntry['tokens']): string[] {
  const firsts = new Map<Address, { place: string; decimals: number }>()
  return tokens.flatMap(({ address, decimals }, index) => {
    const place = `${network}.tokens[${index}].decimals`
    const first = firsts.get(address)
    if (!first) firsts.set(address, { place, decimals })
    return first && first.decimals !== decimals
      ? [`${place}: ${decimals}, but ${first.place} of the same token is ${first.decimals}`]
      : []
  })
}

function hiddenSymbols(network: NetworkName, entry: NetworkEntry): string[] {
  const { symbol: coin, aliases } = NETWORKS[network].native
  const taken = new Set([coin, ...aliases].map((symbol) => symbol.toUpperCase()))
  return entry.tokens.flatMap((token, index) =>
    [token.symbol, ...(token.aliases ?? [])]
      .filter((symbol) => taken.has(symbol.toUpperCase()))
      .map((symbol) => `${network}.tokens[${index}]: ${symbol} names the coin, so it cannot name this token`),
  )
}

/** A token that is listed again only adds its symbols as aliases; symbols are compared without case. */
function mergeTokens(entries: readonly z.infer<typeof tokenSchema>[]): ListedToken[] {
  const merged = new Map<Address, ListedToken & { aliases: string[] }>()
  for (const { address, symbol, name = symbol, decimals, aliases = [] } of entries) {
    const token = merged.get(address) ?? { address, symbol, name, decimals, aliases: [] }
    merged.set(address, token)
    const names = new Set([token.symbol, ...token.aliases].map((each) => each.toUpperCase()))
    for (const each of [symbol, ...aliases]) {
      if (names.has(each.toUpperCase())) continue
      names.add(each.toUpperCase())
      token.aliases.push(each)
    }
  }
  return [...merged.values()].map(({ aliases, ...token }) => (aliases.length > 0 ? { ...token, aliases } : token))
}

function problemLines(error: z.ZodError, root: string, input: unknown): string[] {
  return error.issues.map((issue) => {
    const place = issue.path.reduce<string>((path, key) => {
      return typeof key === 'number' ? `${path}[${key}]` : `${path}.${String(key)}`
    }, root)
    const value = issue.path.reduce<unknown>((parent, key) => (isObject(parent) ? parent[key] : undefined), input)
    if (value === undefined) return `${place}: is missing`
    const message = issue.message.replace(/^Invalid input: expected (.*), received .*$/, 'must be of type $1')
    return `${place}: ${oneLine(message)}, not ${quote(value)}`
  })
}

function unknownKeys(value: unknown, place: string, shape: z.ZodRawShape): string[] {
  if (!isRecord(value)) return []
  const knownKeys = Object.keys(shape)
  return Object.keys(value)
    .filter((key) => !knownKeys.includes(key))
    .map((key) => `${place}.${oneLine(key)}: unknown key, ignored; there are ${knownKeys.join(', ')}`)
}

function isObject(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === 'object' && value !== null
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !Array.isArray(value)
}

export function quote(value: unknown): string {
  const text = oneLine(JSON.stringify(value) ?? String(value))
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

export function oneLine(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
}
