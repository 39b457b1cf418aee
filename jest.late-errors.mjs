/**
 * Between two suites nobody listens: what a suite left under way and breaks only then would end the process, and with it
 * every suite to come, without a word of which tests had passed. It is told instead, with what broke, and `.ci/run` says
 * it again at its end. While a suite runs, Jest's own listeners stand in place of these and fail the test.
 */
export default function tellLateErrors() {
  const tell = (error) =>
    process.stderr.write(`late error, after the suite that caused it: ${error?.stack ?? error}\n`);
  process.on('uncaughtException', tell);
  process.on('unhandledRejection', tell);
}
