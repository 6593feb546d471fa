import { parse as parseQuerystring } from 'node:querystring'
import { setImmediate as turn } from 'node:timers/promises'
import {
  type BatchAnswer,
  type BatchRead,
  InvalidRequest,
  MAX_BATCH_LIMIT,
  parseBatch,
  pathParameters,
  type Route,
  V1_ROUTES,
  type V1Handlers,
} from '@dexfeed/contract'
import type { Request } from 'express'
import { HttpFailure, toFailure } from '../http/http-failure.ts'
import type { Answering, RawRead } from './answer.ts'
import type { Requester } from './dispatcher.ts'

/** Answers the reads of a batch, one after the other. Each waits for its turn and counts as a request. */
export async function answerBatch(
  request: Request,
  by: Requester,
  answer: Answering,
  hold: (length: number) => void,
): Promise<string> {
  const reads = parseBatch(request.body)
  by.charge(reads.length - 1)
  const responses: string[] = []
  for (const read of reads) {
    // A refused read waits for no turn, but still takes time.
    await turn()
    by.signal.throwIfAborted()
    const text = await answerPart(read, by, answer).catch((error: unknown) => {
      if (by.signal.aborted) throw error
      return failureText(error, request)
    })
    hold(text.length)
    responses.push(text)
  }
  return `{"responses":[${responses.join()}]}`
}

async function answerPart(read: BatchRead, by: Requester, answer: Answering): Promise<string> {
  const raw = find(read)
  if (Number(raw.query.limit) > MAX_BATCH_LIMIT) {
    throw new InvalidRequest(`limit is at most ${MAX_BATCH_LIMIT} within a batch`)
  }
  if (raw.query.format === 'csv') throw new InvalidRequest('format is always json within a batch')
  const { text } = await answer(raw, by)
  return `{"status":200,"body":${text}}`
}

function failureText(error: unknown, request: Request): string {
  const { status, message, code } = toFailure(error)
  if (status === 500) request.log.error({ err: error }, 'a request of a batch failed')
  const failure: BatchAnswer['responses'][number] = { status, body: { error: message, code } }
  return JSON.stringify(failure)
}

function find({ path: url, body }: BatchRead): RawRead {
  const [path = '', ...query] = url.split('?')
  for (const [operation, route] of Object.entries<Route>(V1_ROUTES)) {
    const form = new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`)
    const found = form.exec(path)
    if (found === null || (route.kind === 'post') !== (body !== undefined)) continue
    const params = Object.fromEntries(
      pathParameters(route.path).map((name, at) => [name, decodeURIComponent(found[at + 1] ?? '')]),
    )
    const raw = { path, params, query: parseQuerystring(query.join('?')), csv: false, body }
    return { operation: operation as keyof V1Handlers, ...raw }
  }
  throw new HttpFailure(404, 'there is nothing under this path')
}
