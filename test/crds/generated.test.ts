import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parse, parseAllDocuments } from 'yaml'
import { readyOf } from '../../common/api/conditions.ts'
import { decodeStatus } from '../../common/api/decode-status.ts'
import { REASONS } from '../../common/api/reasons.ts'
import { at, isObject, listOr, objectOr } from '../../common/json/json.ts'
import { WORKLOAD_KINDS } from '../../common/workload/registry.ts'
import { generated, reasonsPage } from '../../crds/generated.ts'

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')

describe('the generated files', () => {
  it('are as the repository holds them', () => {
    for (const { file, text } of generated(read)) expect(text, file).to.equal(read(file))
  })

  const crds = [...read('crds/kustomization.yaml').matchAll(/experiment\w+\.yaml|cluster\w+\.yaml/g)].map(
    ([name]) => `crds/${name}`,
  )
  for (const file of crds)
    it(`have the CRD of ${file}, as an object and whatever the file says`, () => {
      const [made] = generated((path) => (path === file ? '' : read(path))).filter((each) => each.file === file)
      expect(parse(made?.text ?? '')).to.deep.equal(parse(read(file)))
      expect(parse(read(file), { version: '1.1' }), 'as tools with YAML 1.1 read it').to.deep.equal(parse(read(file)))
    })

  it('have no rule that an older API server finds too costly: one of a number or text in a list', () => {
    // before 1.34, it takes such a value for 3 MiB of text
    const offenders = (schema: unknown, path: string, isInList = false): readonly string[] => {
      const rules = listOr(at(schema, 'x-kubernetes-validations')).map((each) => String(at(each, 'rule')))
      const costly = isInList && at(schema, 'x-kubernetes-int-or-string') === true
      return [
        ...rules.filter((rule) => costly && rule !== 'type(self) in [int]').map((rule) => `${path}: ${rule}`),
        ...Object.entries(objectOr(at(schema, 'properties'))).flatMap(([key, member]) =>
          offenders(member, `${path}.${key}`, isInList),
        ),
        ...[at(schema, 'items'), at(schema, 'additionalProperties')].flatMap((item) =>
          isObject(item) ? offenders(item, `${path}[]`, true) : [],
        ),
      ]
    }
    for (const file of crds) {
      const version = listOr(at(parse(read(file)), 'spec', 'versions'))[0]
      expect(offenders(at(version, 'schema', 'openAPIV3Schema'), file)).to.deep.equal([])
    }
  })

  it('correct a default and a permission, and keep comments', () => {
    const spoilt = (file: string) =>
      read(file).replace('default: Follow', 'default: Pin').replace('resources: [deployments]', 'resources: [secrets]')
    for (const { file, text } of generated(spoilt)) expect(text, file).to.equal(read(file))
  })

  it('name every kind in the rule about workloads', () => {
    const texts = generated(read).filter(({ file }) => file.endsWith('-role.yaml'))
    for (const { text } of texts) {
      const [role] = parseAllDocuments(text)
      const resources = JSON.stringify(role?.toJS())
      for (const { plural } of Object.values(WORKLOAD_KINDS)) expect(resources).to.include(`"${plural}"`)
    }
  })

  it('N24: show something of an experiment that no controller has looked at, which decodes as a status', () => {
    const [crd] = parseAllDocuments(read('crds/experimentdeployments.yaml'))
    const path = ['spec', 'versions', 0, 'schema', 'openAPIV3Schema', 'properties', 'status', 'default']
    const shown = (crd?.getIn(path) as { toJSON(): unknown } | undefined)?.toJSON()
    const status = decodeStatus(shown)
    expect(status).to.deep.equal(shown)
    expect(readyOf(status)).to.include({ status: 'Unknown', reason: 'Pending' })
    expect(REASONS).to.have.property('Pending')
  })

  it('give a strategy no default, with which every stored run would begin again', () => {
    const [crd] = parseAllDocuments(read('crds/experimentdeployments.yaml'))
    const path = ['spec', 'versions', 0, 'schema', 'openAPIV3Schema', 'properties', 'spec', 'properties', 'strategy']
    const strategy = JSON.stringify(crd?.getIn(path))
    expect(strategy).to.include('"scaleDownSource":{').and.not.include('"default":')
  })

  it('have every reason once on the page of reasons', () => {
    const page = reasonsPage()
    expect(page).to.match(/^# Reasons\n/)
    expect(page).to.match(/\n## The source\n(?:.*\n)+?\| `SourceNotFound` \| .+ \|\n/)
    for (const reason of Object.keys(REASONS)) expect(page.split(`| \`${reason}\` |`)).to.have.length(2)
  })
})
