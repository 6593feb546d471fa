// Writes packages/dex/src/deployments/tokens/*.json, the curated symbol lists:
// - node scripts/generate-token-lists.mjs
// - Downloads the lists named in token-list-sources.json from the npm registry to a temporary folder; they are not
// dependencies. Copies only facts: address, symbol, name and decimals. The output depends only on the versions named
// there. Prints what it skipped, and why.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getAddress } from 'ethers'

const deployments = new URL('../packages/dex/src/deployments/', import.meta.url)

/**
 * The published lists, and for each network:
 * - its lists, most authoritative first
 * - symbols of the coin, which no token may use
 * - tokens that override every list (wrapped coin and stablecoins), as [symbol, address, decimals, name, aliases]
 */
const { lists: LISTS, networks: NETWORKS } = JSON.parse(
  readFileSync(new URL('token-list-sources.json', import.meta.url), 'utf8'),
)

/** Addresses that lists use for the coin itself, in lower case. */
const COIN_ADDRESSES = new Set([
  '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
  '0x0000000000000000000000000000000000000000',
  '0x0000000000000000000000000000000000001010',
])
const MAX_TEXT = 64

const temporary = mkdtempSync(join(tmpdir(), 'token-lists-'))
try {
  for (const [name, network] of Object.entries(NETWORKS)) {
    const sources = network.sources.map((list) => LISTS[list])
    const lists = sources.map((source) => readSource(source, network))
    const { tokens, report } = merge(network, lists)
    writeFileSync(new URL(`tokens/${name}.json`, deployments), render(tokens))
    const counts = sources.map((source, index) => `${lists[index].length} of ${source.package}`)
    console.log(`${name}: ${tokens.length} tokens from ${counts.join(', ')}`)
    for (const line of report) console.log(`  ${line}`)
  }
} finally {
  rmSync(temporary, { recursive: true, force: true })
}

/** Merges lists so that each symbol names one token. */
function merge(network, lists) {
  const report = []
  const coin = new Set(network.coin.map(fold))
  const fixed = network.fixed.map(([symbol, address, decimals, name, aliases]) => {
    return { address: getAddress(address), symbol, name, decimals, ...(aliases && { aliases }) }
  })
  const fixedAddresses = new Set(fixed.map((token) => token.address))
  const taken = new Set(fixed.flatMap((token) => [token.symbol, ...(token.aliases ?? [])]).map(fold))

  const byAddress = new Map()
  /** Folded symbol -> for each list, the addresses that claim it. */
  const claims = new Map()
  lists.forEach((list, rank) => {
    for (const raw of list) {
      const token = valid(raw, report)
      if (!token || fixedAddresses.has(token.address) || COIN_ADDRESSES.has(token.address.toLowerCase())) continue
      const known = byAddress.get(token.address)
      if (!known) byAddress.set(token.address, token)
      else if (known.decimals !== token.decimals) {
        report.push(
          `${token.address} ${token.symbol}: ${known.decimals} or ${token.decimals} decimals, first list wins`,
        )
      }
      const claim = claims.get(fold(token.symbol)) ?? lists.map(() => new Set())
      claim[rank].add(token.address)
      claims.set(fold(token.symbol), claim)
    }
  })

  const tokens = [...fixed]
  for (const token of byAddress.values()) {
    const symbol = fold(token.symbol)
    if (coin.has(symbol)) report.push(`${token.address} ${token.symbol}: names the coin`)
    else if (taken.has(symbol)) report.push(`${token.address} ${token.symbol}: symbol of a wrapped coin or stablecoin`)
    else {
      const owner = ownerOf(claims.get(symbol))
      if (owner === token.address) tokens.push(token)
      else
        report.push(
          `${token.address} ${token.symbol}: ${owner ? `is ${owner} in the first list` : 'ambiguous, left out'}`,
        )
    }
  }
  check(network, tokens)
  return { tokens: tokens.sort(bySymbol), report: [...new Set(report)].sort() }
}

/** Returns the address in the first list or, without one, the address that all other lists agree on; otherwise null. */
function ownerOf([first, ...others]) {
  const claimants = first.size > 0 ? first : new Set(others.flatMap((addresses) => [...addresses]))
  return claimants.size === 1 ? [...claimants][0] : null
}

function valid(raw, report) {
  const symbol = raw.symbol.trim()
  const name = raw.name.trim() || symbol
  let address
  try {
    address = getAddress(raw.address)
  } catch {
    report.push(`${raw.address} ${symbol}: bad checksum`)
    return null
  }
  const printable = /^[!-~]+$/.test(symbol) && /^[ -~]+$/.test(name)
  const fits = symbol.length <= MAX_TEXT && name.length <= MAX_TEXT
  if (!printable || !fits || !Number.isInteger(raw.decimals) || raw.decimals < 0 || raw.decimals > 77) {
    report.push(`${address} ${JSON.stringify(symbol)}: text or decimals out of bounds`)
    return null
  }
  return { address, symbol, name, decimals: raw.decimals }
}

/** Refuses to write a list that breaks its own rules. */
function check(network, tokens) {
  const symbols = tokens.flatMap((token) => [token.symbol, ...(token.aliases ?? [])]).map(fold)
  const listed = new Set(symbols)
  if (listed.size !== symbols.length) throw new Error('a symbol is listed twice')
  const missing = network.required.filter((symbol) => !listed.has(fold(symbol)))
  if (missing.length > 0) throw new Error(`not listed: ${missing.join(', ')}`)
}

function readSource(source, network) {
  const folder = join(unpack(source.package), 'package')
  if (source.folder) return pancakeTokens(join(folder, source.folder), network.pancake)
  const { tokens } = JSON.parse(readFileSync(join(folder, source.file), 'utf8'))
  return tokens.filter((token) => token.chainId === network.chainId)
}

/** PancakeSwap publishes TypeScript: `new ERC20Token(ChainId.BSC, '0x…', 18, 'SYMBOL', 'Name', …)`. */
function pancakeTokens(folder, { chain, files }) {
  const text = `'([^']*)'|"([^"]*)"`
  const pattern = new RegExp(
    `new ERC20Token\\(\\s*ChainId\\.${chain},\\s*'(0x[0-9a-fA-F]{40})',\\s*(\\d+),\\s*(?:${text}),\\s*(?:${text})`,
    'g',
  )
  return files.flatMap((file) => {
    const found = [...readFileSync(join(folder, file), 'utf8').matchAll(pattern)]
    return found.map(([, address, decimals, symbol, symbol2, name, name2]) => {
      return { address, decimals: Number(decimals), symbol: symbol ?? symbol2, name: name ?? name2 }
    })
  })
}

/** Fetches `name@version` once. Returns its folder. */
function unpack(spec) {
  const folder = join(temporary, spec.replace(/\W+/g, '-'))
  const archive = () => readdirSync(folder).find((file) => file.endsWith('.tgz'))
  run('mkdir', ['-p', folder])
  if (archive()) return folder
  run('npm', ['pack', spec, '--ignore-scripts', '--silent', '--pack-destination', folder])
  run('tar', ['xzf', archive(), '--no-same-owner'], folder)
  return folder
}

function run(command, args, cwd = temporary) {
  const done = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (done.status !== 0) throw new Error(`${command} ${args.join(' ')}: ${done.stderr ?? done.error?.message}`)
}

function fold(symbol) {
  return symbol.toUpperCase()
}

function bySymbol(a, b) {
  return fold(a.symbol) < fold(b.symbol) ? -1 : 1
}

/** Writes one token per line, for readable diffs. */
function render(tokens) {
  return `[\n${tokens.map((token) => `  ${JSON.stringify(token)}`).join(',\n')}\n]\n`
}
