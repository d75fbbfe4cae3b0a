import { Readable } from 'node:stream'
import { expect } from 'chai'
import { bodyText } from '../../../../common/kube/client/body.ts'
import { KubeError } from '../../../../common/kube/client/errors.ts'

type Body = Parameters<typeof bodyText>[0]

/** A body of these chunks, as undici gives it, as far as we use it. */
const bodyOf = (...chunks: readonly string[]): Body => {
  const bytes = chunks.map((chunk) => Buffer.from(chunk, 'latin1'))
  return Object.assign(Readable.from(bytes), {
    text: async () => Buffer.concat(bytes).toString(),
  }) as unknown as Body
}

const [first, second] = [Buffer.from('é').subarray(0, 1), Buffer.from('é').subarray(1)].map((half) =>
  half.toString('latin1'),
)

describe('textOf', () => {
  it('reads a whole body where there is no limit', async () => {
    expect(await bodyText(bodyOf('ab', 'cd'), undefined)).to.equal('abcd')
  })

  it('reads a body that is as long as the limit, also where a character spans chunks', async () => {
    expect(await bodyText(bodyOf('ab', first ?? '', second ?? ''), 4)).to.equal('abé')
  })

  it('throws invalid for a longer body, and destroys the rest unread', async () => {
    const body = bodyOf('ab', 'cd', 'ef')
    const error = await bodyText(body, 3).catch((error: unknown) => error)
    expect(error).to.be.instanceOf(KubeError)
    expect(error).to.include({ kind: 'invalid', message: 'the response is longer than 3 bytes' })
    expect(body.destroyed).to.equal(true)
  })
})
