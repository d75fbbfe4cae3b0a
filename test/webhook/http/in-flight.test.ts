import { once } from 'node:events'
import { connect } from 'node:net'
import { expect } from 'chai'
import type { RequestHandler } from 'express'
import { at } from '../../../common/json/json.ts'
import { eventually } from '../../../sandbox/eventually.ts'
import { Budget, inFlight } from '../../../webhook/http/in-flight.ts'
import type { AdmissionHandlers } from '../../../webhook/http/server.ts'
import { turn, VirtualTime } from '../../virtual-time.ts'
import { type Asked, allow, holding, serving } from '../asking.ts'
import { aReview } from '../reviews.ts'

const DENIED = {
  uid: 'uid-of-review',
  allowed: false,
  status: {
    code: 429,
    reason: 'TooManyRequests',
    message: 'too many reviews at once; try again',
    details: { retryAfterSeconds: 1 },
  },
}

describe('Budget', () => {
  it('can be used up to its maximum, and a part is freed only once', () => {
    const budget = new Budget(3)
    const giveBack = budget.take(2)
    expect(budget.take(2)).to.equal(undefined)
    expect(budget.take(1)).to.be.a('function')
    giveBack?.()
    giveBack?.()
    expect(budget.used).to.equal(1)
  })
})

describe('the admission app under load', () => {
  it('allows 256 reviews and 64 MiB', () => {
    const { reviews, bytes } = inFlight()
    expect(reviews.take(256)).to.be.a('function')
    expect(reviews.take()).to.equal(undefined)
    expect(bytes.take(64 * 1024 * 1024)).to.be.a('function')
    expect(bytes.take()).to.equal(undefined)
  })

  it('denies a review over the limit with 429, but never on /mutate', () => {
    const { validate, arrived, go } = holding()
    const flight = inFlight({ maxReviews: 1 })
    return serving(
      validate,
      async ({ ask, counted }) => {
        const held = ask('/validate', aReview())
        await arrived
        expect(at(await (await ask('/validate', aReview())).json(), 'response')).to.deep.equal(DENIED)
        expect(at(await (await ask('/mutate', aReview())).json(), 'response')).to.deep.equal({
          uid: 'uid-of-review',
          allowed: true,
        })
        expect((await ask('/validate', '{"not":"as the API server writes it"}')).status).to.equal(429)
        go()
        expect(at(await (await held).json(), 'response', 'allowed')).to.equal(true)
        await eventually('the place to be free', 20_000, () => expect(flight.reviews.used).to.equal(0))
        expect(at(await (await ask('/validate', aReview())).json(), 'response', 'allowed')).to.equal(true)
        expect(await counted()).to.include('experiment_webhook_refused_total{why="cap"} 3')
      },
      flight,
    )
  })

  it('rejects a body for which there is no memory left', () => {
    const { validate, arrived, go } = holding()
    const body = JSON.stringify(aReview())
    const flight = inFlight({ maxBytes: 2 * body.length - 1 })
    return serving(
      validate,
      async ({ ask, counted }) => {
        const held = ask('/validate', body)
        await arrived
        const refused = await ask('/validate', body)
        expect([refused.status, await refused.text()]).to.deep.equal([503, 'too many bytes at once; try again\n'])
        go()
        expect((await held).status).to.equal(200)
        await eventually('the bytes to be free', 20_000, () => expect(flight.bytes.used).to.equal(0))
        expect(await counted()).to.include('experiment_webhook_refused_total{why="bytes"} 1')
      },
      flight,
    )
  })

  it('frees the bytes of a caller that has disconnected', () => {
    const flight = inFlight()
    return serving(
      allow,
      async ({ ask }) => {
        const { port } = new URL((await ask('/validate', aReview())).url)
        const socket = connect(Number(port), '127.0.0.1')
        socket.write(
          'POST /validate HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{',
        )
        await eventually('the bytes to be taken', 20_000, () => expect(flight.bytes.used).to.equal(99))
        socket.destroy()
        await eventually('the bytes to be free', 20_000, () => expect(flight.bytes.used).to.equal(0))
      },
      flight,
    )
  })

  const ends: Record<string, (decision: PromiseWithResolvers<void>, time: VirtualTime) => unknown> = {
    'is decided': (decision) => decision.resolve(),
    'has failed': (decision) => decision.reject(new TypeError('of mine')),
    'has taken far too long': (_decision, time) => time.pass(10_000),
  }
  for (const [words, end] of Object.entries(ends))
    it(`frees place and bytes of a caller that has hung up when its review ${words}, and not before`, () => {
      const [flight, timers] = [inFlight(), new VirtualTime()]
      const [begun, decision, closed] = [promised(), promised(), promised()]
      const used = () => [flight.reviews.used, flight.bytes.used]
      const validate: AdmissionHandlers['validate'] = async (...review) => {
        begun.resolve()
        await decision.promise
        return allow(...review)
      }
      const guard: RequestHandler = (_request, response, next) => {
        response.once('close', closed.resolve)
        next()
      }
      const hangUp = async ({ ask }: Asked) => {
        const { port } = new URL((await ask('/', {})).url)
        const socket = connect(Number(port), '127.0.0.1')
        const body = JSON.stringify(aReview())
        const head = 'POST /validate HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n'
        socket.write(`${head}content-length: ${body.length}\r\n\r\n${body}`)
        await begun.promise
        socket.destroy()
        await closed.promise
        await turn()
        expect(used()).to.deep.equal([1, body.length])
        await end(decision, timers)
        await eventually('both to be free', 20_000, () => expect(used()).to.deep.equal([0, 0]))
        expect(timers.pending).to.equal(0)
      }
      return serving(validate, hangUp, flight, { guards: [guard], timers })
    })
})

/** More than fits into the buffers of both ends. */
const LARGE = Buffer.alloc(16 * 1024 * 1024)

describe('S5: a caller that does not read', () => {
  const body = JSON.stringify(aReview())
  const lacking: Record<string, readonly [Parameters<typeof inFlight>[0], status: number]> = {
    'the place': [{ maxReviews: 1 }, 429],
    'the bytes': [{ maxBytes: body.length }, 503],
  }
  for (const [words, [limits, status]] of Object.entries(lacking))
    it(`keeps ${words} of its review for a second at most if another one needs them`, () => {
      const timers = new VirtualTime()
      let evicted = 0
      const flight = inFlight({ ...limits, timers, onUnread: () => evicted++ })
      const guard: RequestHandler = ({ path }, response, next) => {
        if (path === '/validate/large') response.end(LARGE)
        else next()
      }
      const story = async ({ ask, counted }: Asked) => {
        const { port } = new URL((await ask('/', {})).url)
        const socket = connect(Number(port), '127.0.0.1')
        const head = 'host: a\r\ncontent-type: application/json\r\ncontent-length:'
        const first = `POST /validate/large HTTP/1.1\r\n${head} 0\r\n\r\n`
        socket.write(`${first}POST /validate HTTP/1.1\r\n${head} ${body.length}\r\n\r\n${body}`)
        await eventually('the answer', 20_000, () => expect(flight.unread.size).to.equal(1))
        const next = async () => {
          const answer = await ask('/validate', '{"not":"as the API server writes it"}'.padEnd(body.length))
          return answer.status
        }
        await timers.pass(999)
        expect(await next()).to.equal(status)
        await timers.pass(1)
        expect(await next()).to.equal(400)
        await once(socket.resume(), 'close')
        expect(socket.bytesRead).to.be.below(LARGE.length)
        expect(evicted).to.equal(1)
        await eventually('everything to be free', 20_000, () =>
          expect([flight.reviews.used, flight.bytes.used, flight.unread.size]).to.deep.equal([0, 0, 0]),
        )
        expect(await counted()).to.include('experiment_webhook_refused_total{why="review"} 1')
      }
      return serving(allow, story, flight, { guards: [guard] })
    })
})

const promised = () => Promise.withResolvers<void>()
