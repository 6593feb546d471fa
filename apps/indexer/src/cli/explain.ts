// Explains transactions: their hops, their trades, and what was dropped and why. Needs a node, but no database.
import { once } from 'node:events'
import { openChain } from '@dexfeed/chain'
import { maskUrls, type ProgramContext, runProgram } from '@dexfeed/service'
import { openExplainer } from '../explain/explain-transactions.ts'
import { explanationJson } from '../explain/explanation-json.ts'
import { explanationText } from '../explain/explanation-text.ts'
import { reasonOf } from '../loops/loop.ts'
import { checkExplain, type ExplainSettings } from './explain-arguments.ts'

runProgram('explain', checkExplain(process.argv.slice(2)), start, { logTo: 'stderr' })

async function start({ settings, log, shutdown }: ProgramContext<ExplainSettings>): Promise<void> {
  const { network, rpcUrls, rates, computeUnits, deployment } = settings.network
  const chain = openChain({ network, urls: rpcUrls, rates, computeUnits, topics: [], pollMs: settings.pollMs, log })
  shutdown.add('chain', () => chain.close())
  // A reader that stops early, such as `head`, is not an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    shutdown.begin('the reader has closed the output', error.code === 'EPIPE' ? 0 : 1)
  })
  const { responding, down } = await chain.verifyChainId()
  if (responding === 0) throw new Error(`no endpoint of ${network} responds: ${down.join(', ')}`)
  // Do not await it: start-up must end, so that Ctrl-C works.
  void explain(settings, async () => openExplainer(chain, deployment), shutdown.signal).then(
    (problems) => shutdown.begin('explained', problems === 0 ? 0 : 1),
    (error: unknown) => {
      if (shutdown.signal.aborted) return
      process.stderr.write(`explain: ${maskUrls(reasonOf(error))}\n`)
      shutdown.begin('the explanation failed', 1)
    },
  )
}

/** Prints the explanations in order. Returns the number of transactions that could not be explained. */
async function explain(
  { network: { network }, hashes, json }: ExplainSettings,
  open: () => ReturnType<typeof openExplainer>,
  signal: AbortSignal,
): Promise<number> {
  const { explain: explained, token } = await open()
  let problems = 0
  for await (const one of explained(hashes)) {
    signal.throwIfAborted()
    if ('problem' in one) {
      problems++
      process.stderr.write(`explain: ${one.hash}: ${one.problem}\n`)
      continue
    }
    if (!one.succeeded) process.stderr.write(`explain: ${one.hash}: it was reverted: nothing was traded\n`)
    const text = json ? `${explanationJson(one, network, token)}\n` : `${explanationText(one, network, token)}\n`
    if (!process.stdout.write(text)) await once(process.stdout, 'drain', { signal })
  }
  return problems
}
