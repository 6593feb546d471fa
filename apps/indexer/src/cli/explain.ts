import { once } from 'node:events'
import { openChain } from '@dexfeed/chain'
import type { Hex } from '@dexfeed/dex'
import {
  type ChainSettings,
  type Check,
  checkChainEnvironment,
  command,
  maskUrls,
  type ProgramContext,
  type ReadFile,
} from '@dexfeed/service'
import { Command } from 'commander'
import { openExplainer } from '../explain/explain-transactions.ts'
import { explanationJson } from '../explain/explanation-json.ts'
import { explanationText } from '../explain/explanation-text.ts'
import { reasonOf } from '../loops/loop.ts'
import { type NetworkChoice, networkOption, quietLevel, readCommandLine } from './command-line.ts'

interface ExplainSettings extends ChainSettings {
  hashes: readonly Hex[]
  json: boolean
}

export const run = command('explain', checkExplain, start, { logTo: 'stderr' })

async function start({ settings, log, output, shutdown }: ProgramContext<ExplainSettings>): Promise<void> {
  const { network, rpcUrls, rates, computeUnits, deployment } = settings.network
  const chain = openChain({ network, urls: rpcUrls, rates, computeUnits, topics: [], pollMs: settings.pollMs, log })
  shutdown.add('chain', () => chain.close())
  // A reader that stops early, such as `head`, is not an error.
  output.stdout.on('error', (error: NodeJS.ErrnoException) => {
    shutdown.begin('the reader has closed the output', error.code === 'EPIPE' ? 0 : 1)
  })
  const { responding, down } = await chain.verifyChainId()
  if (responding === 0) throw new Error(`no endpoint of ${network} responds: ${down.join(', ')}`)
  void explain(settings, async () => openExplainer(chain, deployment), output, shutdown.signal).then(
    (problems) => shutdown.begin('explained', problems === 0 ? 0 : 1),
    (error: unknown) => {
      if (shutdown.signal.aborted) return
      output.stderr.write(`explain: ${maskUrls(reasonOf(error))}\n`)
      shutdown.begin('the explanation failed', 1)
    },
  )
}

async function explain(
  { network: { network }, hashes, json }: ExplainSettings,
  open: () => ReturnType<typeof openExplainer>,
  { stdout, stderr }: ProgramContext<ExplainSettings>['output'],
  signal: AbortSignal,
): Promise<number> {
  const { explain: explained, token } = await open()
  let problems = 0
  for await (const each of explained(hashes)) {
    signal.throwIfAborted()
    if ('problem' in each) {
      problems++
      stderr.write(`explain: ${each.hash}: ${each.problem}\n`)
      continue
    }
    if (!each.succeeded) stderr.write(`explain: ${each.hash}: the transaction was reverted, so nothing was traded\n`)
    const text = json ? `${explanationJson(each, network, token)}\n` : `${explanationText(each, network, token)}\n`
    if (!stdout.write(text)) await once(stdout, 'drain', { signal })
  }
  return problems
}

function checkExplain(args: readonly string[]): Check<ExplainSettings> {
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

interface Arguments extends NetworkChoice {
  hashes: readonly Hex[]
  json: boolean
}

function readArguments(args: readonly string[], readFile: ReadFile): Arguments | { problems: string[] } {
  const commandLine = new Command('explain')
    .addOption(networkOption('where it was mined'))
    .option('--tx <hash>', 'a transaction; may be repeated', (hash: string, all: string[]) => [...all, hash], [])
    .option('--txs-file <file>', 'a file of transactions, one per line; - for standard input')
    .option('--json', 'print one line of JSON per transaction')
  const line = readCommandLine<Given>(commandLine, args)
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
