import type { RpcRequest } from '../json-rpc/messages.ts'
import type { Call } from './multicall.ts'

/** A call that cannot fail: if it is answered and another is not, then that other call is the reason. */
export const CONTROL: Call = { to: '0x0000000000000000000000000000000000000000', data: '0x' }

/** @param at the block parameter of eth_call */
export function callRequest({ to, data }: Call, at: unknown): RpcRequest {
  return { method: 'eth_call', params: [{ to, data }, at] }
}
