// The cards of one seat, as the events of its feed tell them.

export class Hand {
  cards = [];
  /** The number of the hand, from 1. */
  number = 0;

  constructor(seat) {
    this.seat = seat;
  }

  /** Takes in one event of the seat's feed. */
  take(event) {
    const told = event[event.kind];
    switch (event.kind) {
      case "hand_dealt":
        this.number = told.number;
        this.cards = [...(told.hand?.cards ?? [])];
        break;
      case "hand_shown":
        if (told.hand) this.cards = [...told.hand.cards];
        break;
      case "cards_passed":
        if (told.giver === this.seat) this.#remove(told.cards.cards);
        else if (told.giver === PARTNER[this.seat]) this.cards.push(...told.cards.cards);
        break;
      case "card_played":
        if (told.seat === this.seat) this.#remove([told.card]);
        break;
      case "play_taken_back":
        if (told.seat === this.seat) this.cards.push(told.card);
        break;
    }
  }

  #remove(cards) {
    this.cards = this.cards.filter((card) => !cards.includes(card));
  }
}

const PARTNER = {
  SEAT_SOUTH: "SEAT_NORTH",
  SEAT_NORTH: "SEAT_SOUTH",
  SEAT_WEST: "SEAT_EAST",
  SEAT_EAST: "SEAT_WEST",
};
