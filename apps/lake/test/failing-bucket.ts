import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { closeAfter, temporaryFolder } from '@dexfeed/test-setup'
import S3rver from 's3rver'
import { bucketStore } from '../src/objects/bucket.ts'

/** The server accepts this key with this secret. */
const CREDENTIALS = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }

/** Starts a server with the bucket `lake`, whose objects are files in `folder`. */
export async function startBucket(folder = temporaryFolder()): Promise<number> {
  const server = new S3rver({
    ...{ port: 0, address: '127.0.0.1', silent: true, directory: folder },
    configureBuckets: [{ name: 'lake', configs: [] }],
  })
  const { port } = await server.run()
  closeAfter(() => server.close())
  return port
}

/** Passes requests on, except each third one, which fails before or after it has been sent. */
export async function failingThird(port: number): Promise<{ port: number; failed: () => number }> {
  let count = 0
  let failed = 0
  const proxy = createServer((incoming, outgoing) => {
    const { url, method, headers } = incoming
    const isLost = ++count % 3 === 0
    const onward = request({ host: '127.0.0.1', port, path: url, method, headers }, (answer) => {
      if (isLost) {
        failed += 1
        answer.resume()
        outgoing.writeHead(503).end()
        return
      }
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve))
  closeAfter(() => {
    proxy.closeAllConnections()
    return new Promise((resolve) => void proxy.close(resolve))
  })
  return { port: (proxy.address() as AddressInfo).port, failed: () => failed }
}

export function openBucket(port: number, over = {}) {
  const endpoint = `http://127.0.0.1:${port}`
  const settings = { bucket: 'lake', prefix: 'dex/feed/', endpoint, region: 'us-east-1', ...CREDENTIALS, ...over }
  const bucket = bucketStore(settings, new AbortController().signal)
  closeAfter(() => bucket.close())
  return bucket
}
