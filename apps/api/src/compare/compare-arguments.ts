import { readFileSync } from 'node:fs'
import { dateOfDay, dayOf, NETWORK_NAMES, type NetworkName, SECOND } from '@dexfeed/dex'
import type { Check, ProcessSettings } from '@dexfeed/service'
import { Command, InvalidArgumentError, Option } from 'commander'
import { dayNumber, readOptions } from '../export/export-arguments.ts'
import { DEXSCREENER_URL, dexScreener } from './sources/dexscreener.ts'
import { GECKOTERMINAL_URL, geckoTerminal } from './sources/geckoterminal.ts'
import { rowFile } from './sources/row-file.ts'
import type { OtherSource } from './sources/source.ts'

const MAX_POOLS = 500

interface Given {
  with: string
  network: NetworkName
  day?: number
  pools: number
  url: string
  sourceUrl?: string
  json?: true
}

export interface CompareSettings extends ProcessSettings {
  source: OtherSource
  network: NetworkName
  day: string
  pools: number
  url: string
  json: boolean
}

export function checkCompare(args: readonly string[], now: number): Check<CompareSettings> {
  return () => {
    try {
      const given = readOptions<Given>(commandOf(), args)
      const source = openSource(given)
      if (source.isOfLastDay && given.day !== undefined)
        throw new Error(`--day: ${given.with} has the last 24 hours only`)
      const day = dateOfDay(given.day ?? dayOf(now / SECOND) - 1)
      const { network, pools, url, json = false } = given
      return { settings: { logLevel: 'fatal', warnings: [], source, network, day, pools, url, json } }
    } catch (error) {
      return { problems: [`compare: ${error instanceof Error ? error.message : String(error)}`] }
    }
  }
}

function commandOf(): Command {
  return new Command('compare')
    .requiredOption('--with <source>', 'geckoterminal, dexscreener, or a file')
    .addOption(new Option('--network <network>', 'the network').choices(NETWORK_NAMES).makeOptionMandatory())
    .option('--day <day>', 'the day (UTC)', dayNumber)
    .option('--pools <n>', 'how many pools', poolCount, 20)
    .option('--url <url>', 'the address of the API', httpUrl, 'http://127.0.0.1:3000')
    .option('--source-url <url>', 'another address of the source', httpUrl)
    .option('--json', 'print a line of JSON per row')
}

function openSource({ with: name, sourceUrl }: Given): OtherSource {
  if (name === 'geckoterminal') return geckoTerminal(sourceUrl ?? GECKOTERMINAL_URL)
  if (name === 'dexscreener') return dexScreener(sourceUrl ?? DEXSCREENER_URL)
  let text: string
  try {
    text = readFileSync(name, 'utf8')
  } catch {
    throw new Error(`--with: ${JSON.stringify(name)} is neither geckoterminal, dexscreener nor a file that can be read`)
  }
  return rowFile(text)
}

function poolCount(text: string): number {
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (count < 1 || count > MAX_POOLS) throw new InvalidArgumentError(`It must be a number up to ${MAX_POOLS}.`)
  return count
}

function httpUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol)) throw new InvalidArgumentError('That is not an http(s) URL.')
  return text.replace(/\/+$/, '')
}
