import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** The port, or any free one for 0. Throws if somebody listens on it: told now, not after half a minute of work. */
export async function choosePort(host: string, port: number): Promise<number> {
  const server = createServer()
  try {
    await once(server.listen(port, host), 'listening')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const reason = code === 'EADDRINUSE' ? 'is taken' : `cannot be used (${code})`
    throw new Error(`port ${port} ${reason}; choose another one: npm run demo -- --port ${port + 1}`, { cause })
  }
  const chosen = (server.address() as AddressInfo).port
  await once(server.close(), 'close')
  return chosen
}
