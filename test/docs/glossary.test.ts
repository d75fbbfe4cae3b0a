import { globSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parse } from 'yaml'
import { isObject } from '../../common/json/json.ts'

const GLOSSARY = 'docs/glossary.md'
const GUIDES = globSync(['*.md', 'docs/*.md', 'examples/**/*.md']).sort()
const read = (file: string): string => readFileSync(file, 'utf8')
const withoutBlocks = (text: string): string => text.replaceAll(/^```[\s\S]*?^```/gm, '')
/** The names of pages are no prose. */
const withoutFiles = (text: string): string => text.replaceAll(/\b[\w/]+\.md\b/g, '')

const entries = [...read(GLOSSARY).matchAll(/^\| \*\*(.+?)\*\* \| (.+) \|$/gm)].map(([, word = '', meaning = '']) => ({
  word,
  meaning,
}))

/** Words that had another meaning, or several, in older texts, with what to write instead. */
const RETIRED: Readonly<Record<string, RegExp>> = {
  fork: /\b(?:cop(?:y|ies)|clones?)\b/i,
  permission: /\b(?:rights?|entitled)\b/i,
  'say, print or warn': /\btold\b|\btells?\b/i,
  'other experiment': /\brivals?\b/i,
  'the controller': /\b(?:of|is) ours\b/i,
  'a person or a program by its name': /\b(?:whoever|whose is)\b/i,
}

/** Every description and every message of a custom resource, wherever it stands. */
function textsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(textsOf)
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === 'string' && (key === 'description' || key === 'message') ? [inner] : textsOf(inner),
  )
}

const CRDS = globSync('crds/*experiment*.yaml')
const packageText = (): string => String(JSON.parse(read('package.json')).description)

const TEXTS: Readonly<Record<string, () => string>> = {
  ...Object.fromEntries(GUIDES.map((file) => [file, () => withoutFiles(withoutBlocks(read(file)))])),
  ...Object.fromEntries(CRDS.map((file) => [file, () => textsOf(parse(read(file))).join('\n')])),
  'package.json': packageText,
}

describe('the glossary', () => {
  it('explains each word once, in one or two sentences', () => {
    expect(entries.length).to.be.greaterThan(11)
    expect(new Set(entries.map(({ word }) => word)).size).to.equal(entries.length)
    for (const { word, meaning } of entries) {
      const sentences = meaning.split(/(?<=[.])\s+(?=[A-Z[])/)
      expect(sentences.length, word).to.be.within(1, 3)
      expect(meaning, word).to.match(/^[A-Z].*\.$/)
    }
  })

  const elsewhere = GUIDES.filter((file) => file !== GLOSSARY)
    .map(read)
    .join('\n')
  for (const { word } of entries)
    it(`explains "${word}", which a page uses`, () =>
      expect(elsewhere).to.match(new RegExp(`\\b${word.replace(/y$/, '(?:y|ies)').replace(/e$/, 'e?')}`, 'i')))

  it('is linked from the pages for newcomers', () => {
    for (const file of ['README.md', 'docs/guide.md', 'docs/architecture.md'])
      expect(read(file), file).to.contain('glossary.md)')
  })

  it('covers the descriptions of all custom resources', () => expect(CRDS).to.have.length(6))

  for (const [file, text] of Object.entries(TEXTS))
    for (const [instead, retired] of Object.entries(RETIRED))
      it(`has ${file} write ${instead}, not ${retired}`, () => expect(retired.exec(text())?.[0]).to.equal(undefined))
})
