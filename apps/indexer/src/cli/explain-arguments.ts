import type { Hex } from '@dexfeed/dex'
import { type ChainSettings, type Check, checkChainEnvironment, type ReadFile } from '@dexfeed/service'
import { Command } from 'commander'
import { reasonOf } from '../loops/loop.ts'
import { type NetworkChoice, networkOption, quietLevel, readCommandLine } from './command-line.ts'

export interface ExplainSettings extends ChainSettings {
  /** In the given order; duplicates are allowed. */
  hashes: readonly Hex[]
  json: boolean
}

/** Reads the command line of `npm run explain`, and from the environment the network's RPC URL. */
export function checkExplain(args: readonly string[]): Check<ExplainSettings> {
  return (environment, readFile) => {
    const read = readArguments(args, readFile)
    if ('problems' in read) return read
    const { network, hashes, json } = read
    const { settings, problems } = checkChainEnvironment(network)(environment, readFile)
    if (settings === undefined) return { problems }
    return { settings: { ...settings, logLevel: quietLevel(settings.logLevel), hashes, json } }
  }
}

interface Given extends NetworkChoice {
  tx: string[]
  txsFile?: string
  json?: true
}

type Arguments = Pick<Given, 'network'> & Pick<ExplainSettings, 'hashes' | 'json'>

function readArguments(args: readonly string[], readFile: ReadFile): Arguments | { problems: string[] } {
  const command = new Command('explain')
    .addOption(networkOption('where it was mined'))
    .option('--tx <hash>', 'a transaction; may be repeated', (hash: string, all: string[]) => [...all, hash], [])
    .option('--txs-file <file>', 'a file of transactions, one per line; - for standard input')
    .option('--json', 'print one line of JSON per transaction')
  const line = readCommandLine<Given>(command, args)
  if ('problems' in line) return line
  const { network, tx, txsFile, json } = line.options
  const listed = txsFile === undefined ? [] : readList(txsFile, readFile)
  if (typeof listed === 'string') return { problems: [`explain: ${listed}`] }
  const given = [...tx, ...listed]
  if (given.length === 0) return { problems: ['explain: give transactions: --tx or --txs-file'] }
  const wrong = given.filter((hash) => !/^0x[0-9a-fA-F]{64}$/.test(hash))
  if (wrong.length > 0)
    return { problems: wrong.map((text) => `explain: ${JSON.stringify(text)} is not a transaction hash`) }
  return { network, hashes: given.map((hash) => hash.toLowerCase() as Hex), json: json === true }
}

/** Returns the words of a file. A # starts a comment. */
function readList(path: string, readFile: ReadFile): string[] | string {
  try {
    const text = readFile(path === '-' ? '/dev/stdin' : path)
    return text.split(/\r?\n/).flatMap((line) =>
      line
        .replace(/#.*/, '')
        .split(/[\s,]+/)
        .filter(Boolean),
    )
  } catch (error) {
    return `cannot read ${JSON.stringify(path)} (${reasonOf(error)})`
  }
}
