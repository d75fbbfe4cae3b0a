import { expect } from 'chai'
import { at } from '../../../common/json/json.ts'
import { validator } from '../../../webhook/validate.ts'
import { anExperiment } from '../../builders.ts'
import { deploymentSchema } from '../../common/schema/openapi.ts'
import { aReader } from '../../fakes/reader.ts'
import { serving } from '../asking.ts'
import { aReview, validatorDeps } from '../reviews.ts'

/** Control and format characters, and both separators of lines and paragraphs. A line feed ends a line of the log. */
const INVISIBLE = /(?!\n$)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
/** Makes a terminal show what follows from right to left. */
const RTL = '\u202e'

describe('S14: a forged review', () => {
  const asked = (story: Parameters<typeof serving>[1]) => {
    const reader = aReader([])
    return { reader, done: serving(validator(validatorDeps(reader.kube, deploymentSchema())), story) }
  }

  for (const namespace of ['', '.', '..', 'a/b', 'Shop', `${RTL}shop`, 'x'.repeat(64), 5, undefined])
    it(`S14: with namespace ${JSON.stringify(namespace)} is answered 400, and nothing is read or logged`, async () => {
      const { reader, done } = asked(async ({ ask, log }) => {
        for (const path of ['/validate', '/mutate']) {
          const answer = await ask(path, aReview({ namespace, object: anExperiment() }))
          expect(answer.status).to.equal(400)
          const text = await answer.text()
          expect(text).to.match(/^request\.namespace: expected the name of a namespace, got .{1,100}\n$/)
          expect(text).to.not.match(INVISIBLE)
        }
        expect(log).to.deep.equal([])
      })
      await done
      expect([reader.asked, reader.reviews]).to.deep.equal([[], []])
    })

  for (const uid of [`u${RTL}`, 'a b', 'x'.repeat(129)])
    it(`S14: with the uid ${JSON.stringify(uid.slice(0, 9))} is answered 400, because the uid is logged`, () =>
      asked(async ({ ask, log }) => {
        const answer = await ask('/validate', aReview({ uid }))
        expect([answer.status, await answer.text()]).to.deep.equal([
          400,
          'request.uid: expected up to 128 letters, digits and dashes\n',
        ])
        expect(log).to.deep.equal([])
      }).done)

  const paths: Record<string, object> = {
    'the namespace of its source': { sourceRef: { kind: 'Deployment', name: 'cart', namespace: '..' } },
    'the name of its source': { sourceRef: { kind: 'Deployment', name: '..' } },
    'its name': { metadata: { name: '..' } },
  }
  for (const [where, of] of Object.entries(paths))
    it(`S14: with ".." as ${where} is no internal error`, () =>
      asked(async ({ ask, log }) => {
        const object = anExperiment(of)
        for (const operation of ['CREATE', 'UPDATE'])
          for (const path of ['/validate', '/mutate'])
            expect((await ask(path, aReview({ operation, object, oldObject: object }))).status).to.equal(200)
        expect(log.filter((line) => line.includes('"error"'))).to.deep.equal([])
      }).done)

  const texts: Record<string, object> = {
    'a key of the override': { object: anExperiment({ overrideSpec: { template: { [`a${RTL}b`]: 1 } } }) },
    'a value of the override': {
      object: anExperiment({ overrideSpec: { minReadySeconds: `${RTL}\u2028\u00ad\u{e0041}` } }),
    },
    'its name': { object: anExperiment({ metadata: { name: `a${RTL}` }, overrideSpec: { selector: {} } }) },
    'the name of its source': { object: anExperiment({ sourceRef: { kind: 'Deployment', name: `a${RTL}` } }) },
    'the kind of its source': { object: anExperiment({ sourceRef: { kind: `a${RTL}`, name: 'a' } }) },
    'the version of its resource': { resource: { ...aReview().request.resource, version: `v${RTL}` } },
  }
  for (const [where, request] of Object.entries(texts))
    it(`S14: with format characters in ${where} gets them back escaped, in refusals, warnings and logs`, () =>
      asked(async ({ ask, log }) => {
        const response = await ask('/validate', aReview(request))
        const text = await response.text()
        expect(text).to.not.match(INVISIBLE)
        const strings = JSON.stringify(at(JSON.parse(text), 'response'))
        expect(strings).to.not.match(INVISIBLE)
        if (!where.includes('name of its source')) expect(strings).to.contain('\\\\u202e')
        for (const line of log) expect(line).to.not.match(INVISIBLE)
      }).done)
})
