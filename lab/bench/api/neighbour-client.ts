// The client of a load, as a program of its own: node bench-neighbour.js URL LOAD. Runs until it is ended.
import { connect, type Socket } from 'node:net'
import { serveParent } from '../remote.ts'
import { NEIGHBOUR_LOADS } from './neighbour-loads.ts'

/** Another address than that of the client that is measured. */
const ADDRESS = '127.0.0.3'
const RAW_MS = 1_000
/** A refused client tries again after a while, or it would measure itself. */
const REFUSED_MS = 50
const RECONNECT_MS = 5
const HEAD_END = Buffer.from('\r\n\r\n')

const [url = '', name = ''] = process.argv.slice(2)
const { port } = new URL(url)
const load = NEIGHBOUR_LOADS[name]
if (load === undefined) throw new Error(`no load is named ${name}`)
const { bytes, isRaw, connections } = load
let [sent, responses, refused] = [0, 0, 0]

const functions = {
  /** Returns the responses so far, and how many of them were refusals. */
  count: () => ({ responses, refused }),
}
export type NeighbourFunctions = typeof functions

serveParent(functions)
process.on('disconnect', () => process.exit())
for (let n = 0; n < connections; n++) open()

function open(): void {
  const socket = connect({ host: '127.0.0.1', port: Number(port), localAddress: ADDRESS })
  socket.setNoDelay(true)
  socket.on('error', () => undefined)
  socket.on('close', () => setTimeout(open, RECONNECT_MS))
  if (isRaw) {
    socket.on('data', () => responses++)
    setTimeout(() => socket.destroy(), RAW_MS)
    socket.write(bytes(sent++))
  } else {
    readResponses(socket, (status) => {
      responses++
      if (status !== 429) return void socket.write(bytes(sent++))
      refused++
      setTimeout(() => socket.write(bytes(sent++)), REFUSED_MS)
    })
    socket.write(bytes(sent++))
  }
}

/** Calls back after each response, of a known length or in chunks; what it contains is not looked at. */
function readResponses(socket: Socket, onResponse: (status: number) => void): void {
  let head: Buffer<ArrayBufferLike> | null = Buffer.alloc(0)
  let [status, left] = [0, 0]
  let tail = ''
  socket.on('data', (data) => {
    let rest: Buffer<ArrayBufferLike> = data
    if (head !== null) {
      head = Buffer.concat([head, data])
      const end = head.indexOf(HEAD_END)
      if (end < 0) return
      const text = head.toString('latin1', 0, end)
      status = Number(text.slice(9, 12))
      left = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? Number.POSITIVE_INFINITY)
      rest = head.subarray(end + HEAD_END.length)
      tail = ''
      head = null
    }
    left -= rest.length
    tail = (tail + rest.toString('latin1', Math.max(0, rest.length - 5))).slice(-5)
    if (left > 0 && tail !== '0\r\n\r\n') return
    head = Buffer.alloc(0)
    onResponse(status)
  })
}
