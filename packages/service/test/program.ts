import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

interface Program {
  process: ChildProcess
  pid: number
  line(start: string): Promise<string>
  end(): Promise<number | NodeJS.Signals>
  output(): string
}

export interface Programs {
  /**
   * Runs a TypeScript program that may import `./index.ts` of this package, in a separate process group, with an IPC
   * channel.
   */
  start(source: string, args?: readonly string[], env?: NodeJS.ProcessEnv): Promise<Program>
  kill(): void
  close(): void
}

export function openPrograms(): Programs {
  const source = fileURLToPath(new URL('../src', import.meta.url))
  // Inside the package, so that Node finds the npm packages.
  const data = fileURLToPath(new URL('../.data', import.meta.url))
  mkdirSync(data, { recursive: true })
  const folder = mkdtempSync(`${data}/programs-`)
  const running = new Set<ChildProcess>()
  const bundles = new Map<string, Promise<string>>()
  const bundle = async (contents: string) => {
    const outfile = `${folder}/${bundles.size}.mjs`
    await build({
      stdin: { contents, resolveDir: source, loader: 'ts' },
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      alias: { '@dexfeed/dex': fileURLToPath(new URL('../../dex/src/index.ts', import.meta.url)) },
    })
    return outfile
  }
  const kill = () => {
    for (const child of running) child.kill('SIGKILL')
    running.clear()
  }
  return {
    async start(contents, args = [], env = process.env) {
      const outfile = bundles.get(contents) ?? bundle(contents)
      bundles.set(contents, outfile)
      const child = spawn(process.execPath, [await outfile, ...args], {
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
        detached: true,
        env,
      })
      running.add(child)
      return watch(child)
    },
    kill,
    close() {
      kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function watch(child: ChildProcess): Program {
  let output = ''
  // The child's own "close" event does not come if the parent closed the IPC channel.
  const ended = Promise.all([once(child, 'exit'), ...outputs(child).map((stream) => once(stream, 'close'))])
  for (const stream of outputs(child)) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const find = (start: string) => output.split('\n').find((line) => line.startsWith(start))
  return {
    process: child,
    pid: child.pid ?? 0,
    output: () => output,
    async line(start) {
      for (;;) {
        const found = find(start)
        if (found !== undefined) return found
        const more = outputs(child).map((stream) => once(stream, 'data'))
        const over = await Promise.race([...more, ended.then(() => 'over')])
        if (over === 'over' && find(start) === undefined) throw new Error(`ended without "${start}":\n${output}`)
      }
    },
    async end() {
      const [[code, signal]] = (await ended) as [[number | null, NodeJS.Signals | null]]
      return code ?? signal ?? 0
    },
  }
}

function outputs({ stdout, stderr }: ChildProcess): Readable[] {
  return [stdout, stderr].filter((stream) => stream !== null)
}
