import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { type Generated, generated } from './generated.ts'

const ROOT = new URL('../', import.meta.url)
const isCheck = process.argv.includes('--check')

const read = (file: string): string => {
  const place = new URL(file, ROOT)
  return existsSync(place) ? readFileSync(place, 'utf8') : ''
}
const differs = ({ file, text }: Generated): boolean => read(file) !== text

const stale = generated(read).filter(differs)
if (isCheck) {
  for (const { file } of stale) console.error(`${file} is out of date; run npm run generate`)
  process.exitCode = stale.length > 0 ? 1 : 0
} else {
  for (const { file, text } of stale) {
    writeFileSync(new URL(file, ROOT), text)
    console.log(`wrote ${file}`)
  }
}
