/** What providers that count compute units ask for a question, where the settings name nothing else. */
const COMPUTE_UNITS: Readonly<Record<string, number>> = {
  eth_chainId: 10,
  eth_blockNumber: 10,
  eth_getBlockByNumber: 20,
  eth_getBlockByHash: 20,
  eth_getBlockReceipts: 20,
  eth_getTransactionByHash: 20,
  eth_getTransactionReceipt: 20,
  eth_getCode: 20,
  eth_call: 26,
  eth_getLogs: 75,
}
const OTHER_METHOD = 20

/** What a question costs, in compute units; settings go before the usual prices. */
export function computeUnits(settings: Readonly<Record<string, number>>): (method: string) => number {
  const units = new Map(Object.entries({ ...COMPUTE_UNITS, ...settings }))
  return (method) => units.get(method) ?? OTHER_METHOD
}
