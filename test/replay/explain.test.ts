import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { SwapTransaction } from '@dexfeed/contract'
import { NETWORKS, type NetworkName } from '@dexfeed/dex'
import { run } from '@dexfeed/indexer/commands/explain'
import { projectRoot } from '@dexfeed/service'
import { type CommandResult, runCommand } from '@dexfeed/test-setup/run-command'
import { expect, onTestFinished, test } from 'vitest'
import { ETH_TRADES } from './expected-trades.ts'
import { readRecording, serveRecording } from './replay-node.ts'

interface Line {
  network: NetworkName
  tx_hash: string
  block_number: string
  trader: string
  trades: SwapTransaction[]
  hops: { log_index: number; trade: number; by_token: boolean }[]
  dropped: { log_index: number; reason: string }[]
}

const variables = (network: NetworkName, rpcUrl: string) => ({ [`${network.toUpperCase()}_RPC_URL`]: rpcUrl })

function explain(network: NetworkName, rpcUrl: string, ...args: string[]): Promise<CommandResult> {
  return runCommand(run, ['--network', network, ...args], variables(network, rpcUrl))
}

const linesOf = (out: string) =>
  out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line)
const txArguments = (hashes: readonly string[]) => hashes.flatMap((hash) => ['--tx', hash])
const rowOf = ({ sell_token: sold, buy_token: bought }: SwapTransaction) => {
  return [sold.amount, sold.address, bought.amount, bought.address]
}

test('recorded transactions of Ethereum have the trades that their receipts show', async () => {
  const url = await serveRecording(readRecording('eth'))
  const { stdout, stderr, exitCode } = await explain(
    'eth',
    url,
    '--json',
    ...txArguments(ETH_TRADES.map(({ hash }) => hash)),
  )
  const lines = linesOf(stdout)
  expect(lines.map(({ tx_hash }) => tx_hash)).toEqual(ETH_TRADES.map(({ hash }) => hash))
  for (const [index, { what, rows, dropped = [] }] of ETH_TRADES.entries()) {
    const line = lines[index]
    expect(line?.trades.map(rowOf), what).toEqual(rows)
    expect(
      line?.dropped.map(({ reason }) => reason),
      what,
    ).toEqual(dropped)
    for (const hop of line?.hops ?? []) expect(hop.trade, what).toBeGreaterThanOrEqual(0)
  }
  expect(stderr).toBe(
    'explain: 0x78b3bce497969c571bf4ac9a586679d01aff3410454380285c7e70a8ece2fd1f: the transaction was reverted, so nothing was traded\n',
  )
  expect(exitCode).toBe(0)
})

test('a stablecoin leg is the value; the coin has the price of the reference pools before the block', async () => {
  const url = await serveRecording(readRecording('eth'))
  const hashes = [
    '0xc0b79535797361b85ed5311f84f494b0861c8db5d4e7248f5838b4e9d5678ecc',
    '0xa146270fd03e4b448e1e63a7fb33a9c266e925d0633f7956b9b0054e1a30877b',
    '0x1174c395636032eab8a153f955c7ff003fe72e2964bbb130aad5eed3aa4c8f85',
  ]
  const [stable, coin, unpriced] = linesOf((await explain('eth', url, '--json', ...txArguments(hashes))).stdout)
  expect(stable?.trades[0]?.trade_volume_usd).toBe('1150.00000000')
  // In block 15000000, 1 ETH was sold for about 1121 USD. The trade in the next block has 0.138775 ETH.
  expect(Number(coin?.trades[0]?.trade_volume_usd) / 0.138775 / 1121).toBeCloseTo(1, 2)
  // The day before is not recorded, which is not an error.
  expect(unpriced?.trades[0]?.trade_volume_usd).toBe('0.00000000')
})

test.each(['polygon', 'bsc'] as const)(
  '%s is explained in the given order, the native coin without an address',
  async (network) => {
    const recording = readRecording(network)
    const hashes = recording.blocks.flatMap(({ transactions }) => transactions.map(({ hash }) => hash)).reverse()
    const { stdout, stderr, exitCode } = await explain(
      network,
      await serveRecording(recording),
      '--json',
      ...txArguments(hashes),
    )
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 })
    const lines = linesOf(stdout)
    expect(lines.map(({ tx_hash }) => tx_hash)).toEqual(hashes)
    const legs = lines.flatMap(({ trades }) => trades.flatMap(({ sell_token, buy_token }) => [sell_token, buy_token]))
    const { symbol } = NETWORKS[network].native
    for (const leg of legs) expect(leg.address === '', leg.symbol).toBe(leg.symbol === symbol)
  },
)

test('the text output names dropped hops, accounts and the source of values', async () => {
  const url = await serveRecording(readRecording('eth'))
  const hashes = ['0x84edbfad', '0x305af0ce', '0x77304b79'].map(
    (start) => ETH_TRADES.find(({ hash }) => hash.startsWith(start))?.hash ?? '',
  )
  const { stdout, exitCode } = await explain('eth', url, ...txArguments(hashes))
  expect(exitCode).toBe(0)
  expect(stdout).toContain('settled for 0x156a4C4E0fa4F08Ad0CC1A2063c67690A3ce24b3')
  expect(stdout).toContain('no configured factory confirms the contract')
  expect(stdout).toContain("the token's own contract sold what it had collected")
  expect(stdout).toContain('no USD value')
})

test('a transaction that the node does not know is reported, the others are explained', async () => {
  const url = await serveRecording(readRecording('eth'))
  const known = ETH_TRADES[0]?.hash ?? ''
  const unknown = `0x${'99'.repeat(32)}`
  const { stdout, stderr, exitCode } = await explain('eth', url, '--json', '--tx', unknown, '--tx', known)
  expect(linesOf(stdout).map(({ tx_hash }) => tx_hash)).toEqual([known])
  expect(stderr).toBe(`explain: ${unknown}: the node does not know this transaction, or it is not mined yet\n`)
  expect(exitCode).toBe(1)
})

test('a wrong chain ends the program, and the error hides the secret in the URL', async () => {
  const url = `${await serveRecording(readRecording('bsc'))}/v2/c0ffee-secret-key-of-mine`
  const { stdout, stderr, exitCode } = await explain('eth', url, '--tx', `0x${'99'.repeat(32)}`)
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 })
  expect(stderr).toMatch(/serves chain 56, expected 1/)
  expect(stderr).not.toContain('secret')
})

test.each([
  ['no transaction', [], 'give transactions'],
  ['no hash', ['--tx', '0x12'], 'is not a transaction hash'],
  ['an unknown flag', ['--transaction', '0x12'], 'unknown option'],
  ['a file that is not there', ['--txs-file', '/nowhere/at/all'], 'cannot read'],
])('%s is reported before any request', async (_, args, problem) => {
  const { stdout, stderr, exitCode } = await explain('eth', 'http://127.0.0.1:9', ...args)
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 })
  expect(stderr).toContain(problem)
})

test('the program ends silently when its reader leaves', async () => {
  const url = await serveRecording(readRecording('eth'))
  const many = Array.from({ length: 40 }, () => ETH_TRADES.map(({ hash }) => hash)).flat()
  const program = spawn(
    process.execPath,
    [join(projectRoot(), 'apps/indexer/dist/explain.js'), '--network', 'eth', '--json', ...txArguments(many)],
    { stdio: ['ignore', 'pipe', 'pipe'], env: variables('eth', url) },
  )
  onTestFinished(() => {
    program.kill('SIGKILL')
  })
  let err = ''
  program.stderr.on('data', (chunk: Buffer) => {
    err += chunk
  })
  program.stdout.once('data', () => program.stdout.destroy())
  const [exitCode] = await once(program, 'close')
  expect(err.replace(/explain: 0x78b3.*\n/g, '')).toBe('')
  expect(exitCode).not.toBeNull()
})
