import { AbiCoder, Contract, id } from 'ethers'
import type { DevnetChain } from '../src/index.ts'

const SWAP_TOPICS = new Set(
  [
    'Swap(address,uint256,uint256,uint256,uint256,address)',
    'Swap(address,address,int256,int256,uint160,uint128,int24)',
    'Swap(address,address,int256,int256,uint160,uint128,int24,uint128,uint128)',
  ].map((signature) => id(signature)),
)

export interface Receipt {
  status: string
  logs: { address: string; topics: string[]; data: string; blockNumber: string }[]
}

export async function receipts(chain: DevnetChain): Promise<Receipt[]> {
  const { fromBlock, toBlock } = chain.history
  const calls = range(fromBlock, toBlock).map((number) => {
    return { method: 'eth_getBlockReceipts', params: [`0x${number.toString(16)}`] }
  })
  return (await chain.rpc.batch<Receipt[]>(calls)).flat()
}

export async function block(chain: DevnetChain, at: number | string) {
  const tag = typeof at === 'number' ? `0x${at.toString(16)}` : at
  const found = await chain.rpc.send<{ number: string; timestamp: string; hash: string; transactions: string[] }>(
    'eth_getBlockByNumber',
    [tag, false],
  )
  return {
    number: Number(found.number),
    timestamp: Number(found.timestamp),
    hash: found.hash,
    transactions: found.transactions.length,
  }
}

type TestedPool = DevnetChain['contracts']['pools'][number]

const HOP = '(address pool, bool concentrated, address tokenIn, address tokenOut)'
const ROUTER_ABI = [
  `function quote(${HOP}[] hops, uint256 amountIn) returns (uint256)`,
  `function swap((uint256 amountIn, ${HOP}[] hops)[] branches, uint256 minOut, bool nativeOut) payable returns (uint256)`,
]

export function quote(
  chain: DevnetChain,
  pool: TestedPool,
  tokenIn: string,
  tokenOut: string,
  amount: bigint,
): Promise<bigint> {
  const router = new Contract(chain.contracts.devRouter, ROUTER_ABI, chain.provider)
  const hop = [pool.address, pool.tickSpacing !== null, tokenIn, tokenOut]
  return router.getFunction('quote').staticCall([hop], amount)
}

export async function quoterV2(chain: DevnetChain, { token0, token1, fee }: TestedPool, amount: bigint) {
  const params = '(address tokenIn, address tokenOut, uint256 amountIn, uint24 fee, uint160 limit)'
  const abi = [`function quoteExactInputSingle(${params} p) returns (uint256 out, uint160, uint32 ticks, uint256)`]
  const quoter = new Contract(chain.contracts.uniswapV3?.quoterV2 ?? '', abi, chain.provider)
  const answer = await quoter.getFunction('quoteExactInputSingle').staticCall([token0, token1, amount, fee, 0])
  return { out: answer.out as bigint, ticksCrossed: Number(answer.ticks) }
}

export async function amountsOut(chain: DevnetChain, { token0, token1 }: TestedPool, amount: bigint): Promise<bigint> {
  const abi = ['function getAmountsOut(uint256, address[]) view returns (uint256[])']
  const router = new Contract(chain.contracts.v2Router, abi, chain.provider)
  const answer = await router.getFunction('getAmountsOut').staticCall(amount, [token0, token1])
  return answer[1] as bigint
}

export async function swap(chain: DevnetChain, pool: TestedPool, amount: bigint): Promise<bigint> {
  const [trader] = chain.accounts.traders
  const router = new Contract(chain.contracts.devRouter, ROUTER_ABI, chain.provider)
  const hop = [pool.address, pool.tickSpacing !== null, pool.token0, pool.token1]
  const data = router.interface.encodeFunctionData('swap', [[[amount, [hop]]], 0, false])
  const request = { from: trader, to: chain.contracts.devRouter, data, gas: '0x2dc6c0' }
  const hash = await chain.rpc.send<string>('eth_sendTransaction', [request])
  const { timestamp } = await block(chain, 'latest')
  await chain.rpc.send('evm_mine', [timestamp + 1])
  const receipt = await chain.rpc.send<Receipt>('eth_getTransactionReceipt', [hash])
  const event = receipt.logs.find((entry) => isSwap(entry, new Set([pool.address])))
  if (!event) throw new Error(`no Swap event in ${hash}`)
  const coder = AbiCoder.defaultAbiCoder()
  if (pool.tickSpacing === null) {
    const [, , out0, out1] = coder.decode(
      ['uint256', 'uint256', 'uint256', 'uint256'],
      event.data,
    ) as unknown as bigint[]
    return (out0 || out1) ?? 0n
  }
  const [, amount1] = coder.decode(['int256', 'int256'], event.data) as unknown as [bigint, bigint]
  return -amount1
}

export function isSwap(
  { address, topics }: { address: string; topics: string[] },
  pools: ReadonlySet<string>,
): boolean {
  return pools.has(address) && SWAP_TOPICS.has(topics[0] ?? '')
}

export function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}
