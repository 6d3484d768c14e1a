// What both JavaScript bots play: here is the place for better ideas.

const RANKS = "23456789TJQKALB";

/** How high a card is, as in CARD_QS; jokers are CARD_LJ and CARD_BJ. */
export const height = (card) => RANKS.indexOf(card[5]);

const byHeight = (cards) => [...cards].sort((a, b) => height(a) - height(b));

/** The action that answers a decision, for a seat with this hand. */
export function act(decision, hand) {
  if (decision.may_look) return { look: {} };
  switch (decision.kind) {
    case "DECISION_KIND_BID":
      return { bid: bid(decision.legal_bids, hand) };
    case "DECISION_KIND_PASS_CARDS":
      return { pass_cards: { cards: byHeight(hand).slice(0, decision.pass_count) } };
    default:
      return { play: byHeight(decision.legal_plays)[0] };
  }
}

function bid(legal, hand) {
  const wanted = Math.max(1, hand.filter((card) => height(card) >= RANKS.indexOf("K")).length);
  const bids = legal.filter((one) => one.tricks > 0);
  return bids.reduce((best, one) =>
    Math.abs(one.tricks - wanted) < Math.abs(best.tricks - wanted) ? one : best,
  );
}
