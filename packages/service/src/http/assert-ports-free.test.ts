import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { assertPortsFree } from './assert-ports-free.ts'

const host = '127.0.0.1'

test('a port that another program uses is named with its setting; free ones stay free', async () => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, host, resolve))
  const { port } = other.address() as AddressInfo
  const used = { variable: 'PORT', host, port }
  const metrics = { variable: 'METRICS_PORT', host, port }
  await expect(assertPortsFree([used, { ...used, port: null }, { ...used, port: 0 }, metrics])).rejects.toThrow(
    `PORT: cannot listen on 127.0.0.1:${port}: another program uses port ${port}; end it, or set another one\n` +
      `METRICS_PORT: cannot listen on 127.0.0.1:${port}`,
  )
  await new Promise((resolve) => other.close(resolve))
  await assertPortsFree([used])
  await assertPortsFree([used])
})
