import { openRpc, type Rpc, startAnvil } from '@dexfeed/devnet'
import type { Hex } from '@dexfeed/dex'
import { Interface, type InterfaceAbi, type LogDescription, type Result } from 'ethers'

const GAS = '0x1c9c3800'
const GENESIS_TIME = 1_700_000_000

export interface Artifact {
  abi: InterfaceAbi
  bytecode: string
}

export interface Receipt {
  blockNumber: number
  transactionHash: Hex
  contractAddress: Hex
  logs: readonly { address: Hex; topics: Hex[]; data: Hex }[]
}

export interface Contract {
  address: Hex
  call(method: string, ...args: unknown[]): Promise<Result>
  /** Sends a transaction in a block of its own. Throws if the transaction reverts. */
  send(method: string, ...args: unknown[]): Promise<Receipt>
  enqueue(method: string, ...args: unknown[]): Promise<Hex>
  /** Returns this contract's events in a receipt, as ethers decodes them. */
  parse(receipt: Receipt): LogDescription[]
}

/** A local chain that mines one block per transaction, seconds apart, with one privileged account. */
export interface LocalChain {
  url: string
  rpc: Rpc
  account: Hex
  nonce(): Promise<number>
  deploy(artifact: Artifact, ...args: unknown[]): Promise<Contract>
  at(address: Hex, artifact: Pick<Artifact, 'abi'>): Contract
  /** Mines the enqueued transactions, this many seconds after the last block. */
  mine(hashes: readonly Hex[], seconds?: number): Promise<Receipt[]>
  stop(): Promise<void>
}

export async function startLocalChain(chainId: number, options: { anyCodeSize?: boolean } = {}): Promise<LocalChain> {
  const node = await startAnvil({
    chainId,
    genesisTime: GENESIS_TIME,
    accounts: 1,
    host: '127.0.0.1',
    port: 0,
    stateFile: null,
    ...options,
  })
  const rpc = openRpc(node.url)
  const [account = '0x'] = await rpc.send<Hex[]>('eth_accounts', [])
  const enqueue = (transaction: object) =>
    rpc.send<Hex>('eth_sendTransaction', [{ from: account, gas: GAS, ...transaction }])

  const mine = async (hashes: readonly Hex[], seconds = 15): Promise<Receipt[]> => {
    await rpc.send('evm_increaseTime', [seconds])
    await rpc.send('evm_mine', [])
    const receipts = await rpc.batch<(Omit<Receipt, 'blockNumber'> & { status: Hex; blockNumber: Hex }) | null>(
      hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
    )
    return receipts.map((receipt, index) => {
      if (receipt?.status !== '0x1') throw new Error(`transaction ${hashes[index]} reverted`)
      return { ...receipt, blockNumber: Number(receipt.blockNumber) }
    })
  }
  const mineOne = async (hash: Hex): Promise<Receipt> => {
    const [receipt] = await mine([hash])
    if (receipt === undefined) throw new Error(`transaction ${hash} is not there`)
    return receipt
  }
  const at = (address: Hex, { abi }: Pick<Artifact, 'abi'>): Contract => {
    const face = new Interface(abi)
    const encode = (method: string, args: unknown[]) => face.encodeFunctionData(method, args)
    return {
      address,
      async call(method, ...args) {
        const transaction = { from: account, to: address, gas: GAS, data: encode(method, args) }
        return face.decodeFunctionResult(method, await rpc.send<Hex>('eth_call', [transaction, 'latest']))
      },
      send: async (method, ...args) => mineOne(await enqueue({ to: address, data: encode(method, args) })),
      enqueue: (method, ...args) => enqueue({ to: address, data: encode(method, args) }),
      parse: ({ logs }) =>
        logs.flatMap((log) => (log.address === address.toLowerCase() ? (face.parseLog(log) ?? []) : [])),
    }
  }
  return {
    url: node.url,
    rpc,
    account,
    at,
    mine,
    nonce: async () => Number(await rpc.send<Hex>('eth_getTransactionCount', [account, 'latest'])),
    async deploy({ abi, bytecode }, ...args) {
      const code = bytecode.startsWith('0x') ? bytecode : `0x${bytecode}`
      const { contractAddress } = await mineOne(
        await enqueue({ data: code + new Interface(abi).encodeDeploy(args).slice(2) }),
      )
      return at(contractAddress, { abi })
    },
    stop: () => node.stop(),
  }
}
