import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parseAllDocuments } from 'yaml'
import { WORKLOAD_KINDS } from '../../common/workload/registry.ts'
import { generated, withReasons } from '../../crds/generated.ts'

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')

describe('what is generated', () => {
  it('is what the repository holds', () => {
    for (const { file, text } of generated(read)) expect(text, file).to.equal(read(file))
  })

  it('repairs an enum, a default and a right, and keeps comments', () => {
    const spoilt = (file: string) =>
      read(file)
        .replace('enum: [Deployment]', 'enum: [Pod]')
        .replace('default: Follow', 'default: Pin')
        .replace('resources: [deployments]', 'resources: [secrets]')
    for (const { file, text } of generated(spoilt)) expect(text, file).to.equal(read(file))
  })

  it('names every kind in the rule about workloads', () => {
    const texts = generated(read).filter(({ file }) => file.endsWith('-role.yaml'))
    for (const { text } of texts) {
      const [role] = parseAllDocuments(text)
      const resources = JSON.stringify(role?.toJS())
      for (const { plural } of Object.values(WORKLOAD_KINDS)) expect(resources).to.include(`"${plural}"`)
    }
  })

  it('begins a README with the table of reasons, and leaves the rest of one alone', () => {
    const first = withReasons('')
    expect(first).to.match(/^# Experiment Deployment Controller\n\n## Reasons\n/)
    expect(first).to.match(/\n\| `SourceNotFound` \| .+ \|\n/)
    expect(withReasons(`before\n${first}after\n`)).to.equal(`before\n${first}after\n`)
  })

  it('says what a README has lost', () => {
    expect(() => withReasons('# Other\n')).to.throw('README.md has lost its section of reasons')
  })
})
