import { createRequire } from 'node:module'
import type { Hex } from '@dexfeed/dex'
import { id } from 'ethers'
import type { Artifact, Contract, LocalChain } from './local-chain.ts'

const SUPPLY = 2n ** 120n
const ONE = 10n ** 18n
/** Reuses the slot of DOMAIN_SEPARATOR in Uniswap's pair, which no test needs. */
const FEE_SLOT = '0x3'
const load: (path: string) => Artifact = createRequire(import.meta.url)

/**
 * A Uniswap V2 pair with its own fee per thousand, like BiSwap's. `swapFee()` returns the fee, and no event shows it.
 */
export interface OwnFeePair {
  tokens: readonly [Contract, Contract]
  factory: Contract
  pair: Contract
  /** Takes effect from the next block on. */
  setFee(perThousand: number): Promise<void>
  /** Pays in and takes out these amounts. The contract reverts if `amountOut` is too much. */
  swap(zeroForOne: boolean, amountIn: bigint, amountOut: bigint): Promise<void>
  /** Returns whether the contract, once paid, would pay out this amount. */
  gives(zeroForOne: boolean, amountOut: bigint): Promise<boolean>
  pay(zeroForOne: boolean, amountIn: bigint): Promise<void>
}

/** Deploys Uniswap V2's factory with one such pair, holding 2000 of the first token and 3000 of the second. */
export async function deployOwnFeePair(chain: LocalChain, perThousand: number): Promise<OwnFeePair> {
  const erc20 = load('@uniswap/v2-core/build/ERC20.json')
  const [a, b] = [await chain.deploy(erc20, SUPPLY), await chain.deploy(erc20, SUPPLY)]
  const tokens: OwnFeePair['tokens'] = a.address < b.address ? [a, b] : [b, a]
  const factory = await chain.deploy(load('@uniswap/v2-core/build/UniswapV2Factory.json'), chain.account)
  await factory.send('createPair', ...tokens.map(({ address }) => address))
  const [address]: Hex[] = await factory.call('getPair', ...tokens.map((token) => token.address))
  if (address === undefined) throw new Error('no pair')
  const pair = chain.at(address.toLowerCase() as Hex, load('@uniswap/v2-core/build/UniswapV2Pair.json'))
  const code = await chain.rpc.send<Hex>('eth_getCode', [pair.address, 'latest'])
  await chain.rpc.send('anvil_setCode', [pair.address, withOwnFee(code)])
  const setFee = async (fee: number) => {
    const word = `0x${fee.toString(16).padStart(64, '0')}`
    await chain.rpc.send('anvil_setStorageAt', [pair.address, FEE_SLOT, word])
    await chain.mine([])
  }
  const amounts = (zeroForOne: boolean, amountOut: bigint) => (zeroForOne ? [0n, amountOut] : [amountOut, 0n])
  const pay = async (zeroForOne: boolean, amountIn: bigint) => {
    await tokens[zeroForOne ? 0 : 1].send('transfer', pair.address, amountIn)
  }
  await setFee(perThousand)
  await pay(true, 2000n * ONE)
  await pay(false, 3000n * ONE)
  await pair.send('mint', chain.account)
  return {
    tokens,
    factory,
    pair,
    setFee,
    pay,
    async swap(zeroForOne, amountIn, amountOut) {
      await pay(zeroForOne, amountIn)
      await pair.send('swap', ...amounts(zeroForOne, amountOut), chain.account, '0x')
    },
    gives: async (zeroForOne, amountOut) =>
      pair.call('swap', ...amounts(zeroForOne, amountOut), chain.account, '0x').then(
        () => true,
        () => false,
      ),
  }
}

/**
 * Patches the code of Uniswap's pair to match BiSwap's. The fee of its K check comes from storage (`amountIn.mul(3)`
 * becomes `amountIn.mul(swapFee)`). `swapFee()` replaces DOMAIN_SEPARATOR().
 */
function withOwnFee(code: Hex): Hex {
  const separator = `8063${id('DOMAIN_SEPARATOR()').slice(2, 10)}14`
  // PUSH1 3, PUSH4 0xffffffff, PUSH2 mul, AND, JUMP becomes PUSH1 slot, SLOAD, JUMPDEST (five times), PUSH2 mul, JUMP.
  const patched = code
    .replaceAll(/600363ffffffff(61[0-9a-f]{4})1656/g, '6003545b5b5b5b5b$156')
    .replace(separator, `8063${id('swapFee()').slice(2, 10)}14`)
  if (patched.split('6003545b5b5b5b5b').length !== 3 || patched.includes(separator)) throw new Error('another pair')
  return patched as Hex
}
