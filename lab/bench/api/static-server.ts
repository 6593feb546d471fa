// Serves one file as it is and as gzip, by Express: what a list is measured against. Says its address to its parent.
import { createReadStream } from 'node:fs'
import type { AddressInfo } from 'node:net'
import express from 'express'

const [file = ''] = process.argv.slice(2)
const app = express()
app.disable('x-powered-by')
app.get('/list.json', (_request, response) => response.sendFile(file))
app.get('/list.json.gz', (_request, response) => {
  response.set({ 'Content-Type': 'application/json; charset=utf-8', 'Content-Encoding': 'gzip' })
  createReadStream(`${file}.gz`).pipe(response)
})
const server = app.listen(0, '127.0.0.1', () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
