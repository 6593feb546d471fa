import { setTimeout as delay } from 'node:timers/promises'
import { type Devnet, deployHostileToken, type HostileAnswer, type HostileToken } from '@dexfeed/devnet'
import type { Address, Hex } from '@dexfeed/dex'
import { connectTo, testDatabase } from '@dexfeed/test-setup'
import type { Client } from 'pg'
import { beforeAll, expect, inject, test } from 'vitest'
import { deploymentOf, headOf, runIndexer } from './scene/run-indexer.ts'
import { testDevnet } from './scene/test-devnet.ts'

// Tokens with hostile metadata. Each has a real pair of the real factory, and one trade in it.

const MINE_MS = 100
/** Two hosts confirm each other's denials. A single host is trusted after a minute. */
const HOSTS = inject('scale') === 1 ? ['127.0.0.1', 'localhost'] : ['127.0.0.1']
/** The gas that nodes grant to a call by default. Some contracts burn all of it. */
const CALL_GAS: Hex = '0x2faf080'
const [SYMBOL, NAME, DECIMALS]: [Hex, Hex, Hex] = ['0x95d89b41', '0x06fdde03', '0x313ce567']
const [CREATE_PAIR, GET_PAIR, MINT, SWAP]: [Hex, Hex, Hex, Hex] = [
  '0xc9c65396',
  '0xe6a43905',
  '0x6a627842',
  '0x022c0d9f',
]
const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`
const callData = (selector: Hex, ...args: (bigint | Address)[]): Hex =>
  `${selector}${args.map((arg) => word(BigInt(arg)).slice(2)).join('')}`
const text = (value: string | Buffer): Hex => {
  const bytes = Buffer.from(value)
  const padded = Buffer.alloc(Math.ceil(bytes.length / 32) * 32)
  bytes.copy(padded)
  return `${word(32n)}${word(BigInt(bytes.length)).slice(2)}${padded.toString('hex')}` as Hex
}
const bytes32 = (value: string): Hex => `0x${Buffer.from(value).toString('hex').padEnd(64, '0')}`

interface Metadata {
  symbol: string
  name: string
  decimals: number | null
}

/** Tokens by their responses to symbol(), name() and decimals(). FAULTS F41 to F46. */
const TOKENS: Record<string, { answers: [HostileAnswer, HostileAnswer, HostileAnswer]; expected: Metadata }> = {
  'the ticker of another': {
    answers: [text('USDC'), text('USD Coin'), word(6n)],
    expected: { symbol: 'USDC', name: 'USD Coin', decimals: 6 },
  },
  'bytes32 text': {
    answers: [bytes32('MKR'), bytes32('Maker'), word(18n)],
    expected: { symbol: 'MKR', name: 'Maker', decimals: 18 },
  },
  'empty text': { answers: [text(''), '0x', word(0n)], expected: { symbol: '', name: '', decimals: 0 } },
  'reverts for text': { answers: ['revert', 'revert', word(18n)], expected: { symbol: '', name: '', decimals: 18 } },
  'a revert for decimals': {
    answers: [text('REV'), text('Revert'), 'revert'],
    expected: { symbol: 'REV', name: 'Revert', decimals: null },
  },
  'no decimals': {
    answers: [text('NON'), text('None'), '0x'],
    expected: { symbol: 'NON', name: 'None', decimals: null },
  },
  '255 decimals': {
    answers: [text('MAX'), text('Max'), word(255n)],
    expected: { symbol: 'MAX', name: 'Max', decimals: null },
  },
  '2^256 - 1 decimals': {
    answers: [text('ALL'), text('All'), word(2n ** 256n - 1n)],
    expected: { symbol: 'ALL', name: 'All', decimals: null },
  },
  'a megabyte': { answers: ['megabyte', 'megabyte', word(18n)], expected: { symbol: '', name: '', decimals: 18 } },
  'text of many bytes': {
    answers: [text('L'.repeat(3_000)), text('😀'.repeat(400)), word(18n)],
    expected: { symbol: 'L'.repeat(255), name: '😀'.repeat(255), decimals: 18 },
  },
  'lengths that lie': {
    answers: [`0x${'f'.repeat(128)}`, `${word(32n)}${'f'.repeat(64)}${'41'.padEnd(64, '0')}`, word(18n)],
    expected: { symbol: '', name: 'A', decimals: 18 },
  },
  'characters that deceive': {
    answers: [text('U\u202eSD\u200bC\u0000'), text(Buffer.from('c141ff42', 'hex')), word(6n)],
    expected: { symbol: 'USDC', name: 'AB', decimals: 6 },
  },
  markup: {
    answers: [text("<script>'; DROP TABLE swap; --"), text('=cmd()|%s $\u007bx}'), word(18n)],
    expected: { symbol: "<script>'; DROP TABLE swap; --", name: '=cmd()|%s $\u007bx}', decimals: 18 },
  },
  'all gas burnt': {
    answers: [text('GAS'), text('Gas'), 'burn'],
    expected: { symbol: 'GAS', name: 'Gas', decimals: null },
  },
}

let devnet: Devnet<'bsc'>
const tokens = new Map<string, HostileToken>()

beforeAll(async () => {
  devnet = await testDevnet({ networks: ['bsc'], historyBlocks: 4 })
  await devnet.chains.bsc.rpc.send('evm_setBlockGasLimit', [CALL_GAS])
  for (const [kind, { answers }] of Object.entries(TOKENS)) {
    const token = await deployHostileToken(devnet.chains.bsc.rpc, devnet.chains.bsc.accounts.deployer)
    for (const [index, selector] of [SYMBOL, NAME, DECIMALS].entries()) {
      await token.answer(selector, answers[index] ?? '0x')
    }
    tokens.set(kind, token)
    await trade(token)
  }
})

async function send(to: Address, data: Hex): Promise<void> {
  const { rpc, accounts } = devnet.chains.bsc
  const [hash] = await rpc.batch<Hex>([
    { method: 'eth_sendTransaction', params: [{ from: accounts.deployer, to, data, gas: '0x989680' }] },
    { method: 'evm_mine', params: [] },
  ])
  const receipt = await rpc.send<{ status: Hex }>('eth_getTransactionReceipt', [hash])
  if (receipt.status !== '0x1') throw new Error(`transaction ${hash} failed`)
}

/** Creates a pair with the first stablecoin if needed, and sells 100 base units of the token to it. */
async function trade(token: HostileToken): Promise<void> {
  const { rpc, accounts, deployment } = devnet.chains.bsc
  const stable = deployment.stablecoins[0] as Address
  const factory = deployment.dexes.find(({ kind }) => kind === 'uniswap-v2')?.factory as Address
  const transfer = (amount: bigint, to: Address) => callData('0xa9059cbb', to, amount)
  const getPair = { to: factory, data: callData(GET_PAIR, token.address, stable) }
  const pairOf = async () => `0x${(await rpc.send<Hex>('eth_call', [getPair, 'latest'])).slice(26)}` as Address
  if (BigInt(await pairOf()) === 0n) {
    await send(factory, callData(CREATE_PAIR, token.address, stable))
    await token.mint(await pairOf(), 1_000_000n)
    await send(stable, transfer(10n ** 21n, await pairOf()))
    await send(await pairOf(), callData(MINT, accounts.deployer))
  }
  const pair = await pairOf()
  await token.mint(pair, 100n)
  const isToken0 = BigInt(token.address) < BigInt(stable)
  const [out0, out1] = isToken0 ? [0n, 10n ** 16n] : [10n ** 16n, 0n]
  await send(pair, callData(SWAP, out0, out1, accounts.deployer, 128n, 0n))
}

async function index(databaseUrl: string): Promise<Client> {
  const rpcUrl = HOSTS.map((host) => devnet.chains.bsc.rpcUrl.replace('127.0.0.1', host)).join(',')
  const running = await runIndexer({ databaseUrl, network: 'bsc', rpcUrl, deployment: deploymentOf(devnet, 'bsc') })
  await running.caughtUp(await headOf(devnet.chains.bsc))
  const client = await connectTo(databaseUrl)
  // A slow token is read while blocks continue, and denied decimals are read again at a later block.
  for (let waiting = 1; waiting > 0; await delay(MINE_MS)) {
    await devnet.chains.bsc.rpc.send('evm_mine', [])
    waiting = (await client.query<{ count: number }>('SELECT count(*)::int FROM awaited_value')).rows[0]?.count ?? 0
  }
  await running.stop()
  return client
}

const STORED = `SELECT symbol, name, decimals FROM token WHERE address = decode(substr($1, 3), 'hex')`
const TRADES = `SELECT sell_amount::text AS sold, volume_usd::text AS usd FROM swap
  WHERE sell_token = decode(substr($1, 3), 'hex') ORDER BY block_number`

test('every trade is stored, whatever its token returns, and has a value if one can be computed', async () => {
  const databaseUrl = await testDatabase()
  const client = await index(databaseUrl)
  for (const [kind, { expected }] of Object.entries(TOKENS)) {
    const address = tokens.get(kind)?.address
    expect((await client.query(STORED, [address])).rows, kind).toEqual([expected])
    const usd = expected.decimals === null ? null : '0.01000000'
    expect((await client.query(TRADES, [address])).rows, kind).toEqual([{ sold: '100', usd }])
  }

  // FAULTS F43, F56: the first metadata stays, so that equal amounts always look the same.
  const changing = tokens.get('bytes32 text')
  if (changing === undefined) throw new Error('no such token')
  await changing.answer(DECIMALS, word(2n))
  await changing.answer(SYMBOL, text('NEW'))
  await trade(changing)
  const again = await index(databaseUrl)
  expect((await again.query(STORED, [changing.address])).rows).toEqual([TOKENS['bytes32 text']?.expected])
  expect((await again.query(TRADES, [changing.address])).rows).toHaveLength(2)
})
