import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Request, Response } from 'express'
import { type Answer, answerOf, sendAnswer } from './answer.ts'

const compressed = promisify(gzip)

/** A response that never changes while the process runs. Compressed once: a large body takes longer than a quote. */
export interface StillAnswer {
  plain: Answer
  gzip: Answer
}

export async function stillAnswer(type: string, body: Buffer): Promise<StillAnswer> {
  const headers = { 'Cache-Control': 'public, max-age=300', 'Content-Type': type }
  const gzipped = await compressed(body)
  return { plain: answerOf(body, headers), gzip: answerOf(gzipped, { ...headers, 'Content-Encoding': 'gzip' }) }
}

export function sendStill(request: Request, response: Response, { plain, gzip }: StillAnswer): void {
  response.vary('Accept-Encoding')
  sendAnswer(request, response, request.acceptsEncodings(['gzip', 'identity']) === 'gzip' ? gzip : plain)
}
