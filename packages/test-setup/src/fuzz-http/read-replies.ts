export interface Replies {
  /** The status of each response that has begun, except interim ones. */
  statuses: number[]
  fault: string | null
}

const HEAD = /^HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n(?:[!-9;-~]+:[^\r\n]*\r\n)*$/

/**
 * Splits a connection's bytes into responses. The last one may be cut off.
 *
 * @param methods of the requests, in their order
 */
export function readReplies(bytes: string, methods: readonly string[]): Replies {
  const statuses: number[] = []
  let at = 0
  while (at < bytes.length) {
    const end = bytes.indexOf('\r\n\r\n', at)
    if (end < 0) {
      const begins = 'HTTP/1.1 '.startsWith(bytes.slice(at, at + 9)) || bytes.startsWith('HTTP/1.1 ', at)
      const wrong = `${JSON.stringify(bytes.slice(at, at + 80))} does not begin a response`
      return { statuses, fault: begins ? null : wrong }
    }
    const head = bytes.slice(at, end + 2)
    const [, code] = HEAD.exec(head) ?? []
    if (code === undefined)
      return { statuses, fault: `${JSON.stringify(head.slice(0, 80))} is not the head of a response` }
    at = end + 4
    const status = Number(code)
    if (status === 100) continue
    statuses.push(status)
    // The bytes after status 101 belong to another protocol.
    if (status === 101) return { statuses, fault: null }
    if (methods[statuses.length - 1] === 'HEAD' || status === 204 || status === 304) continue
    const next = endOfBody(bytes, at, head)
    if (typeof next === 'string') return { statuses, fault: next }
    at = next
  }
  return { statuses, fault: null }
}

function endOfBody(bytes: string, start: number, head: string): number | string {
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (length !== undefined) return start + Number(length)
  if (!/\r\ntransfer-encoding: *chunked/i.test(head)) return bytes.length
  let at = start
  for (;;) {
    const end = bytes.indexOf('\r\n', at)
    if (end < 0) return bytes.length
    const size = bytes.slice(at, end)
    if (!/^[\da-f]+$/i.test(size)) return `${JSON.stringify(size.slice(0, 80))} is not a chunk size`
    at = end + 2 + Number.parseInt(size, 16)
    if (at >= bytes.length) return bytes.length
    if (!'\r\n'.startsWith(bytes.slice(at, at + 2)))
      return `a chunk ends with ${JSON.stringify(bytes.slice(at, at + 20))}`
    at += 2
    if (size === '0') return at
  }
}
