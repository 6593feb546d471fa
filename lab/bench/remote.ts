import type { ChildProcess } from 'node:child_process'

export type Functions = Readonly<Record<string, (argument: never) => unknown>>

interface Call {
  id: number
  name: string
  argument: unknown
}

export function serveParent(functions: Functions): void {
  process.on('message', async ({ id, name, argument }: Call) => {
    const value = await functions[name]?.(argument as never)
    process.send?.({ id, value })
  })
}

export type Caller<F extends Functions> = <Name extends keyof F & string>(
  name: Name,
  ...argument: Parameters<F[Name]>
) => Promise<Awaited<ReturnType<F[Name]>>>

let calls = 0

/** Returns a caller of a child process. Calls reject if the process ends first. */
export function callerOf<F extends Functions>(child: ChildProcess): Caller<F> {
  return (name, ...[argument]) =>
    new Promise((resolve, reject) => {
      const id = ++calls
      const ended = () => reject(new Error(`${child.spawnargs[1]} ended before it responded to ${name}`))
      const listen = (message: { id?: number; value: never }) => {
        if (message.id !== id) return
        child.off('message', listen)
        child.off('exit', ended)
        resolve(message.value)
      }
      child.on('message', listen)
      child.once('exit', ended)
      child.send({ id, name, argument } satisfies Call)
    })
}
