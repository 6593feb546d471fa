import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { closeAfter, temporaryFolder } from './close-after.ts'
import { freePort } from './connections.ts'

export interface RedisServer {
  url: string
  stop(): Promise<void>
}

export function hasRedis(): boolean {
  return spawnSync('redis-server', ['--version']).status === 0
}

export async function startRedis(): Promise<RedisServer> {
  const port = await freePort()
  const place = ['--port', String(port), '--bind', '127.0.0.1', '--dir', temporaryFolder()]
  const child = spawn('redis-server', [...place, '--save', '', '--appendonly', 'no'], { stdio: 'ignore' })
  const url = `redis://127.0.0.1:${port}`
  const stop = closeAfter(async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  while (!(await answers(url))) await delay(20)
  return { url, stop }
}

export async function runRedis(url: string, command: string, ...args: string[]): Promise<unknown> {
  const redis = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null })
  redis.on('error', () => undefined)
  try {
    await redis.connect()
    return await redis.call(command, ...args)
  } finally {
    redis.disconnect()
  }
}

async function answers(url: string): Promise<boolean> {
  return runRedis(url, 'PING').then(
    () => true,
    () => false,
  )
}
