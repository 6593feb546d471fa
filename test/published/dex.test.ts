import { readFileSync } from 'node:fs'
import { type Address, builtInDeployments, type Hex, NETWORK_NAMES } from '@dexfeed/dex'
import { serveHttp } from '@dexfeed/lab/node/rpc/serve'
import { closeAfter } from '@dexfeed/test-setup'
import { Interface } from 'ethers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { installPackage } from './install-package.ts'

const ETHERS = 'ethers@6.17.0'
const NODE = 'http://127.0.0.1:8545'

const { wrappedNative } = builtInDeployments.eth
const USDT: Address = '0xdac17f958d2ee523a2206206994597c13d831ec7'
const WBTC: Address = '0x2260fac5e5542a773aa44fbcfedf7c193bc2c599'
const POOL: Address = '0xd51a44d3fae010294c616388b506acda1bfaae46'
const PROVIDER: Address = '0x0000000022d53366457f9d5e68ec105046fc4383'
const REGISTRY: Address = '0x90e00ace148ca3b23ac1bc8c240c2a7dd9c2d7f5'

let dex: Awaited<ReturnType<typeof installPackage>>
beforeAll(async () => {
  dex = await installPackage('packages/dex', [ETHERS])
}, 300_000)
afterAll(() => dex.remove())

it('turns a receipt into trades as its README shows', async () => {
  const [example = ''] = dex.examples
  expect(example).toContain(NODE)
  const node = await serveHttp((body, _, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(respond(JSON.parse(body))))
  })
  closeAfter(node.close)
  const output = await dex.runCode(example.replace(NODE, node.url))
  const trader = '0x5bd9dee999fe2c4e6efdbab2c395b4685b0c00d0'
  expect(output).toBe(`${trader} sold 360000000000 of ${USDT} for 803672066 of ${WBTC}\n`)
})

it('turns a pool state into a quote as its README shows', async () => {
  const [, example = ''] = dex.examples
  expect(await dex.runCode(example)).toBe(
    `1 WETH buys ${decimal(amountOut(10n ** 18n))} USDC\n10 WETH buy ${amountOut(10n ** 19n)} base units\n`,
  )
})

it('values a trade, compiles every example of its README, and has types of each module', async () => {
  const good = `import { decodersOf } from '@dexfeed/dex/decode'
    import { NETWORK_NAMES } from '@dexfeed/dex/deployments'
    import { createMarket } from '@dexfeed/dex/quote'
    import { tradeRules } from '@dexfeed/dex/trades'
    import { usdText } from '@dexfeed/dex/usd'
    console.log(usdText(150000000n), NETWORK_NAMES.join(), typeof tradeRules, decodersOf(['uniswap-v2']).size)\n`
  expect(await dex.runCode(good)).toMatch(new RegExp(`^1\\.50000000 ${NETWORK_NAMES} function \\d+\\n$`))
  const bad = `import { createMarket } from '@dexfeed/dex/quote'
    createMarket([{ pool: {}, state: null }])
    import '@dexfeed/dex'\n`
  const [receipt = '', quote = '', ...others] = dex.examples
  expect(others).toEqual([])
  expect(await dex.findErrors({ receipt, quote, good, bad })).toEqual(['bad:2', 'bad:3'])
})

function amountOut(amountIn: bigint): bigint {
  const [reserveIn, reserveOut] = [8_000n * 10n ** 18n, 20_000_000n * 10n ** 6n]
  return (amountIn * 997n * reserveOut) / (reserveIn * 1000n + amountIn * 997n)
}

const decimal = (units: bigint) => String(Number(units) / 1e6)

interface RpcRequest {
  id: number
  method: string
  params: readonly { to: Address; data: Hex }[]
}

function respond(request: RpcRequest | readonly RpcRequest[]): unknown {
  if (Array.isArray(request)) return request.map(respond)
  const { id, method, params } = request as RpcRequest
  const frame = { jsonrpc: '2.0', id }
  if (method !== 'eth_call') return { ...frame, result: recordedResults()[method] }
  const [call] = params
  const result = CALLS.get(`${call?.to} ${call?.data}`.toLowerCase())
  return result === undefined
    ? { ...frame, error: { code: 3, message: 'execution reverted', data: '0x' } }
    : { ...frame, result }
}

function recordedResults(): Readonly<Record<string, unknown>> {
  const file = new URL('../../packages/dex/src/venues/curve/fixtures/curve-tricrypto2.json', import.meta.url)
  const { hash, from, value, blockNumber, logs } = JSON.parse(readFileSync(file, 'utf8'))
  const hex = (number: number | bigint) => `0x${number.toString(16)}`
  return {
    eth_chainId: '0x1',
    eth_getTransactionByHash: { hash, from, value: hex(BigInt(value)) },
    eth_getBlockByNumber: { number: hex(blockNumber), timestamp: '0x62421b8d' },
    eth_getTransactionReceipt: {
      transactionHash: hash,
      transactionIndex: hex(logs[0].transactionIndex),
      blockHash: `0x${'ab'.repeat(32)}`,
      blockNumber: hex(blockNumber),
      from,
      logs: logs.map((log: { logIndex: number }) => ({ ...log, logIndex: hex(log.logIndex) })),
    },
  }
}

const CALLS = new Map([
  encoded(PROVIDER, 'function get_address(uint256) view returns (address)', [5], [REGISTRY]),
  encoded(
    REGISTRY,
    'function get_coins(address) view returns (address[8])',
    [POOL],
    [[USDT, WBTC, wrappedNative, ...Array(5).fill(`0x${'00'.repeat(20)}`)]],
  ),
])

function encoded(to: Address, abi: string, args: readonly unknown[], result: readonly unknown[]): [string, string] {
  const contract = new Interface([abi])
  const name = /^function (\w+)/.exec(abi)?.[1] ?? ''
  return [`${to} ${contract.encodeFunctionData(name, args)}`, contract.encodeFunctionResult(name, result)]
}
