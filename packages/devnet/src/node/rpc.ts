/** A JSON-RPC client of a local node, without retries or deadlines. */
export interface Rpc {
  /** @throws if the node returns an error */
  send<T>(method: string, params: readonly unknown[]): Promise<T>
  batch<T>(calls: readonly RpcCall[]): Promise<T[]>
}

interface RpcCall {
  method: string
  params: readonly unknown[]
}

interface RpcAnswer {
  id: number
  result?: unknown
  error?: { message: string }
}

export function openRpc(url: string): Rpc {
  async function batch<T>(calls: readonly RpcCall[]): Promise<T[]> {
    if (calls.length === 0) return []
    const body = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }))
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const answers = (await response.json()) as RpcAnswer[] | RpcAnswer
    if (!Array.isArray(answers)) throw new Error(`batch: ${answers.error?.message ?? 'not an array'}`)
    const results = new Array<T>(calls.length)
    for (const { id, result, error } of answers) {
      if (error) throw new Error(`${calls[id]?.method ?? 'batch'}: ${error.message}`)
      results[id] = result as T
    }
    return results
  }
  return {
    batch,
    async send<T>(method: string, params: readonly unknown[]) {
      const [result] = await batch<T>([{ method, params }])
      return result as T
    },
  }
}
